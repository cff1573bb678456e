/** Short programs: run, wait, look at what they printed. */

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type * as vscode from "vscode";

/** How a program ended. `status` is null where it could not be started or was killed. */
export interface Outcome {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Where a program runs; `seconds` is how long it may take. */
export interface RunOptions {
  readonly cwd: string;
  readonly seconds: number;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * What is added to the environment of every Python program. A Python that takes modules from the
 * folder that it is started in would run what lies in a workspace.
 */
export const CLEAN_PYTHON: NodeJS.ProcessEnv = {
  PYTHONHOME: "",
  PYTHONPATH: "",
  PYTHONSAFEPATH: "1",
};

const MOST_OUTPUT = 16 * 1024 * 1024;

/** Run a program to its end and log it. Never rejects. */
export function run(
  log: vscode.LogOutputChannel,
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const env = { ...process.env, ...CLEAN_PYTHON, ...options.env };
  const limits = { timeout: options.seconds * 1000, maxBuffer: MOST_OUTPUT, windowsHide: true };
  log.debug(`Running ${command} ${args.join(" ")}`);
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd: options.cwd, env, ...limits }, (error, output, errors) => {
      const status = error ? statusOf(error) : 0;
      const reason = status === null && error ? error.message : "";
      resolve({ status, output, errors: [errors.trim(), reason].filter(Boolean).join("\n") });
    });
  });
}

/** The path of a program that stands on PATH, outside of relative folders; undefined for none. */
export async function onPath(name: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    const file = join(folder, executable(name));
    if (await isProgram(file)) {
      return file;
    }
  }
  return undefined;
}

/** Whether a file can be executed. */
export function isProgram(file: string): Promise<boolean> {
  return can(file, constants.X_OK);
}

/** Whether there is such a file. */
export function exists(file: string): Promise<boolean> {
  return can(file, constants.F_OK);
}

/** The file name of a program on this platform. */
export function executable(name: string): string {
  return process.platform === "win32" && !name.endsWith(".exe") ? `${name}.exe` : name;
}

function statusOf(error: Error & { code?: unknown }): number | null {
  return typeof error.code === "number" ? error.code : null;
}

function can(file: string, mode: number): Promise<boolean> {
  return access(file, mode).then(
    () => true,
    () => false,
  );
}
