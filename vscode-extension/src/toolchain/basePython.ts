/** Which Python a private environment is made from. */

import type * as vscode from "vscode";
import { ToolchainError } from "../parts";
import { lookInto, OLDEST, type Interpreter } from "./interpreter";
import { onPath } from "./processes";

const NAMES = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];

/** The first Python of this machine that is new enough; `others` are tried last. */
export async function findBasePython(
  log: vscode.LogOutputChannel,
  cwd: string,
  others: readonly string[],
): Promise<Interpreter> {
  const problems: string[] = [];
  for await (const [command, before] of candidates(others)) {
    const found = await lookInto(log, command, cwd, before);
    if ("interpreter" in found) {
      log.info(`Found ${command}, Python ${found.interpreter.version.join(".")}`);
      return found.interpreter;
    }
    problems.push(`${command} ${found.problem}`);
  }
  const oldest = OLDEST.join(".");
  const seen = problems.length ? ` Found: ${problems.join("; ")}.` : "";
  throw new ToolchainError(
    `IPU Assembly needs Python ${oldest} or newer, and there is none on PATH.${seen} ` +
      "Install one, or name one in the setting ipu.interpreter.",
  );
}

async function* candidates(
  others: readonly string[],
): AsyncGenerator<[command: string, before: string[]]> {
  const seen = new Set<string>();
  for (const name of NAMES) {
    const path = await onPath(name);
    if (path !== undefined && !seen.has(path)) {
      seen.add(path);
      yield [path, []];
    }
  }
  const launcher = process.platform === "win32" ? await onPath("py") : undefined;
  if (launcher !== undefined) {
    yield [launcher, ["-3"]];
  }
  for (const other of others) {
    yield [other, []];
  }
}
