/** What pytest tells of kernel tests: see ipu_asm/testbench/editor_events.py. */

import { spawn } from "node:child_process";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { messageOf, type Parts } from "../parts";

/** Text at a line, from 1, of a file. */
export interface Message {
  readonly text: string;
  readonly file: string;
  readonly line: number;
}

/** How a debugger repeats the run of a failed test, and the cycle that is of interest. */
export interface Replay {
  readonly launch: Readonly<Record<string, unknown>>;
  readonly cycle: number | null;
}

/** A line of the file of events. */
export type Event =
  | { readonly event: "session"; readonly root: string }
  | {
      readonly event: "collected";
      readonly id: string;
      readonly file: string;
      readonly line: number;
      readonly names: readonly string[];
    }
  | { readonly event: "error"; readonly file: string; readonly message: string }
  | { readonly event: "started"; readonly id: string }
  | {
      readonly event: "ended";
      readonly id: string;
      readonly outcome: "passed" | "failed" | "skipped";
      readonly seconds: number;
      readonly messages: readonly Message[];
      readonly replay: Replay | null;
      readonly output: string;
    };

/** How a run of pytest ended; `folder` is where it may have left files. */
export interface Ended {
  readonly status: number | null;
  readonly errors: string;
}

const PLUGIN = ["-p", "ipu_asm.testbench.editor_events"];
const NEEDED =
  "Kernel tests need a Python with pytest and ipu-asm, such as the setting ipu.interpreter names.";
const READING_PERIOD_MS = 100;
const FEWEST_STATUSES_OF_PYTEST = 6;

/** A folder for the files of one run. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "ipu-tests-"));
}

/** Remove the folder of a run. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** Run pytest on kernel tests in `cwd`; what it tells comes one by one, what it prints as text. */
export async function pytest(
  { toolchain, log }: Parts,
  cwd: vscode.Uri,
  folder: string,
  args: readonly string[],
  told: (event: Event) => void,
  printed: (text: string) => void,
  token?: vscode.CancellationToken,
): Promise<Ended> {
  const line = await toolchain.commandLine("python", cwd);
  const file = join(folder, "events.jsonl");
  const all = [...line.args, "-m", "pytest", ...PLUGIN, `--ipu-events=${file}`, ...args];
  log.debug(`Running ${line.command} ${all.join(" ")}`);
  const env = { ...process.env, ...line.env, PYTHONUNBUFFERED: "1" };
  const child = spawn(line.command, all, { cwd: cwd.fsPath, env, windowsHide: true });
  let errors = "";
  // A chunk may end inside of a character.
  child.stdout.setEncoding("utf8").on("data", printed);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
    printed(text);
  });
  const cancelled = token?.onCancellationRequested(() => child.kill());
  const tail = new Tail(file, (text) => told(JSON.parse(text) as Event), log);
  const timer = setInterval(() => void tail.read(), READING_PERIOD_MS);
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.on("error", (error) => reject(new Error(`${NEEDED} ${error.message}.`)));
      child.on("close", resolve);
    });
    await tail.read();
    return { status, errors };
  } finally {
    clearInterval(timer);
    cancelled?.dispose();
  }
}

/** Why pytest could not do anything, as a sentence; undefined where it could. */
export function complaint({ status, errors }: Ended, command: string): string | undefined {
  if (/No module named '?pytest'?/.test(errors)) {
    return `${NEEDED} ${command} has no pytest.`;
  }
  if (/ipu_asm\.testbench\.editor_events/.test(errors)) {
    return `${NEEDED} ${command} has another version of ipu-asm.`;
  }
  const isDone = status !== null && status < FEWEST_STATUSES_OF_PYTEST && status !== 3;
  return isDone && status !== 4 ? undefined : errors.trim().split("\n").at(-1) || undefined;
}

const END_OF_LINE = 10;

/** Reads what is added to a file, line by line. */
export class Tail {
  /** As much of the file has been read, in bytes. */
  private offset = 0;
  /** The beginning of a line whose end has not been written yet. */
  private begun = Buffer.alloc(0);
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: string,
    private readonly take: (line: string) => void,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Read what was added, after all readings before. A line that cannot be taken is logged. */
  read(): Promise<void> {
    this.reading = this.reading
      .then(() => this.readOn())
      .catch((error: unknown) => this.log.error(`${this.file} cannot be read: ${messageOf(error)}`));
    return this.reading;
  }

  private async readOn(): Promise<void> {
    const text = Buffer.concat([this.begun, await this.added()]);
    const end = text.lastIndexOf(END_OF_LINE) + 1;
    this.begun = text.subarray(end);
    for (const line of text.toString("utf8", 0, end).split("\n").filter(Boolean)) {
      try {
        this.take(line);
      } catch (error) {
        this.log.error(`A line of ${this.file} is left out: ${messageOf(error)}`);
      }
    }
  }

  /** The bytes after those that have been read; none where there is no file yet. */
  private async added(): Promise<Buffer> {
    const file = await open(this.file).catch(() => undefined);
    if (file === undefined) {
      return Buffer.alloc(0);
    }
    try {
      const { size } = await file.stat();
      const wanted = Buffer.alloc(Math.max(0, size - this.offset));
      const { bytesRead } = await file.read(wanted, 0, wanted.length, this.offset);
      this.offset += bytesRead;
      return wanted.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }
}
