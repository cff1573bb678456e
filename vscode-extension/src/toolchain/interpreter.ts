/** A look into a Python: its version, and whether our package is there; and the first that will do. */

import type * as vscode from "vscode";
import { ToolchainError } from "../parts";
import { onPath, run, type RunOptions } from "./processes";

/** What a Python says about itself. */
export interface Interpreter {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  /** The version of ipu-asm, null where its language server cannot be imported. */
  readonly ipu: string | null;
}

/** A Python, or why it is none, as the end of a sentence that begins with its path. */
export type Look = { readonly interpreter: Interpreter } | { readonly problem: string };

/** The oldest version that ipu-asm runs on. */
export const OLDEST: readonly [number, number] = [3, 11];

// Understood by every Python 3; imports our package only where that can work.
const QUESTIONS = `
import json, sys
from importlib import util
sys.path[:] = [path for path in sys.path if path]
ipu = None
if sys.version_info >= (3, 11) and all(map(util.find_spec, ("ipu_lsp", "ipu_asm", "pygls"))):
    from ipu_asm import __version__ as ipu
json.dump([sys.executable, list(sys.version_info[:3]), ipu], sys.stdout)
`;

/** Ask a Python; `before` are arguments that come first, as `-3` for the launcher of Windows. */
export async function lookInto(
  log: vscode.LogOutputChannel,
  command: string,
  cwd: string,
  before: readonly string[] = [],
): Promise<Look> {
  const options: RunOptions = { cwd, seconds: 30 };
  const outcome = await run(log, command, [...before, "-c", QUESTIONS], options);
  if (outcome.status !== 0) {
    log.debug(outcome.errors);
    return { problem: "cannot be run as a Python interpreter" };
  }
  const interpreter = read(outcome.output);
  if (interpreter === undefined) {
    return { problem: "does not answer as a Python interpreter does" };
  }
  return isNewEnough(interpreter.version)
    ? { interpreter }
    : { problem: `is Python ${interpreter.version.join(".")}; ${OLDEST.join(".")} is needed` };
}

function isNewEnough([major, minor]: readonly [number, number, number]): boolean {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function read(output: string): Interpreter | undefined {
  try {
    const [executable, version, ipu] = JSON.parse(output);
    const isRead = typeof executable === "string" && Array.isArray(version);
    return isRead ? { executable, version: version as [number, number, number], ipu } : undefined;
  } catch {
    return undefined;
  }
}

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
