/** Where the programs come from: each way to find them, in the order in which they are tried. */

import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { ToolchainError, type Tool } from "../parts";
import { lookInto } from "./interpreter";
import { CLEAN_PYTHON, executable, exists, isProgram, onPath, run } from "./processes";

/** A place that has the programs. */
export interface Origin {
  /** For people. */
  readonly name: string;
  readonly command: (tool: Tool) => { command: string; args: string[] };
  /** Makes sure that a tool has all that it needs; absent where everything is there. */
  readonly prepare?: (tool: Tool) => Promise<void>;
  /** Fetches what the other programs than the language server will need. */
  readonly completeQuietly?: () => Promise<void>;
}

const MODULES: Record<Tool, readonly string[]> = {
  lsp: ["-m", "ipu_lsp"],
  dap: ["-m", "ipu_lsp.debug_adapter"],
  run: ["-m", "ipu_asm", "run"],
  as: ["-m", "ipu_asm", "as"],
  lint: ["-m", "ipu_asm", "lint"],
  python: [],
};

/** The programs as modules of a Python, which takes none from the folder that it starts in. */
export function inPython(python: string, name: string): Origin {
  return { name, command: (tool) => ({ command: python, args: ["-P", ...MODULES[tool]] }) };
}

/** What every program is started with, whatever it comes from. */
export const ENVIRONMENT = CLEAN_PYTHON;

/** The interpreter of the setting `ipu.interpreter`; undefined where it is not set. */
export async function fromSetting(
  log: vscode.LogOutputChannel,
  cwd: string,
  resource: vscode.Uri | undefined,
): Promise<Origin | undefined> {
  const setting = vscode.workspace.getConfiguration("ipu", resource).get("interpreter", "").trim();
  if (!setting) {
    return undefined;
  }
  const python = await resolved(setting, resource);
  const found = await lookInto(log, python, cwd);
  const problem = "problem" in found ? found.problem : missing(found.interpreter.ipu, python);
  if (problem) {
    refuse(setting, problem);
  }
  return inPython(python, "the setting ipu.interpreter");
}

/** The program `ipu-lsp` on PATH, with its siblings in the same folder. */
export async function fromPath(
  log: vscode.LogOutputChannel,
  cwd: string,
): Promise<Origin | undefined> {
  const server = await onPath("ipu-lsp");
  if (server === undefined) {
    return undefined;
  }
  const outcome = await run(log, server, ["--version"], { cwd, seconds: 30 });
  if (outcome.status !== 0) {
    log.warn(`${server} is on PATH but does not run:\n${outcome.errors}`);
    return undefined;
  }
  log.info(`${outcome.output.trim()} on PATH: ${server}`);
  const beside = (tool: Tool) =>
    join(dirname(server), executable(tool === "python" ? tool : `ipu-${tool}`));
  return { name: "ipu-lsp on PATH", command: (tool) => ({ command: beside(tool), args: [] }) };
}

function missing(version: string | null, python: string): string | undefined {
  return version === null
    ? `has no ipu-asm; install it there with "${python} -m pip install ." in a checkout of the ` +
        "project, or clear the setting to use what the extension carries"
    : undefined;
}

/** A path with `~` and `${workspaceFolder}`, or a name that is looked up on PATH. */
async function resolved(setting: string, resource: vscode.Uri | undefined): Promise<string> {
  const folder =
    (resource && vscode.workspace.getWorkspaceFolder(resource)) ??
    vscode.workspace.workspaceFolders?.[0];
  const path = setting
    .replace(/^~(?=$|[\\/])/, homedir())
    .replaceAll("${workspaceFolder}", folder?.uri.fsPath ?? "");
  if (!/[\\/]/.test(path)) {
    return (await onPath(path)) ?? refuse(setting, "is not a program on PATH");
  }
  if (!(await exists(path))) {
    return refuse(setting, "does not exist");
  }
  return (await isProgram(path)) ? path : refuse(setting, "cannot be executed");
}

function refuse(setting: string, problem: string): never {
  throw new ToolchainError(`The setting ipu.interpreter is "${setting}", which ${problem}.`);
}
