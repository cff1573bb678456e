/** Completes a debug configuration, or says in a sentence why it cannot be used. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { type Prefill, prefilled } from "../commands/prefill";
import { RunArguments } from "../commands/runArguments";
import { askArguments } from "../commands/runForm";
import { type Parts, ToolchainError } from "../parts";
import { isProgram } from "../commands/subject";
import { DEBUG_TYPE, isKernel, launch } from "./configurations";
import { hasInputs, launchFields } from "./rememberedInputs";

type Configuration = vscode.DebugConfiguration;
type Folder = vscode.WorkspaceFolder | undefined;

const SET_INPUTS = "Set inputs...";

/** Looks at a configuration before it is used, first as it is written, then with its variables. */
export class ConfigurationResolver implements vscode.DebugConfigurationProvider {
  constructor(private readonly parts: Parts) {}

  /**
   * Without a launch.json, F5 gives an empty configuration and Ctrl+F5 one that only says `noDebug`:
   * the program in the editor is meant.
   */
  resolveDebugConfiguration(_folder: Folder, given: Configuration): Configuration | undefined {
    const active = vscode.window.activeTextEditor?.document;
    const isEmpty = !given.type && !given.request && !given.name;
    if (isEmpty && !isKernel(active)) {
      const isOurs = active && isProgram(active);
      const why = "Programs of this set are assembled and checked, not executed.";
      const ask = "Open an IPU kernel to debug it, or add a launch configuration for one.";
      return refused(isOurs ? why : ask);
    }
    const ours = { ...given, lastInputs: true };
    const configuration = isEmpty ? launch("Run this kernel", "${file}", ours) : { ...given };
    configuration.type ||= DEBUG_TYPE;
    configuration.request ||= "launch";
    if (configuration.program === "${file}" && active?.isUntitled) {
      return refused("The debugger reads the kernel from a file: save it first.");
    }
    return configuration;
  }

  async resolveDebugConfigurationWithSubstitutedVariables(
    folder: Folder,
    given: Configuration,
  ): Promise<Configuration | undefined> {
    if (!vscode.workspace.isTrusted) {
      return refused("Debugging runs programs of this workspace: trust it first.");
    }
    const { program } = given;
    if (typeof program !== "string" || !program) {
      return refused("The launch configuration needs a program: the kernel to debug.");
    }
    if (program.startsWith("untitled:")) {
      return refused("The debugger reads the kernel from a file: save it first.");
    }
    await saved(program);
    if (!(await this.canStart(folder))) {
      return undefined;
    }
    const completed = await this.withInputs(given, program);
    return completed && { ...completed, cwd: folderFor(given, folder) };
  }

  /**
   * What a configuration of our own, which gives no inputs, starts with: the last run's, else those
   * of ipu.toml, which the adapter reads itself, else those of the head comment. Where that names
   * registers whose values nobody knows, the user is asked; undefined if they changed their mind.
   */
  private async withInputs(
    { lastInputs, ...given }: Configuration,
    program: string,
  ): Promise<Configuration | undefined> {
    const configuration = given as Configuration;
    if (!lastInputs || configuration.findInputs === false || hasInputs(configuration)) {
      return configuration;
    }
    const remembered = new RunArguments(this.parts.context.workspaceState);
    const uri = vscode.Uri.file(program);
    const changes = remembered.changes(uri);
    const known = await prefilled(this.parts.server, uri, changes);
    // The server has read the project by now.
    if (refusedByProject(program)) {
      return undefined;
    }
    if (known.origin && Object.keys(changes).length === 0) {
      return configuration;
    }
    const isAsked = known.isDocumented && known.missing.length > 0;
    const asked = { program: uri, verb: "Debug", changes };
    const answered = isAsked ? await askArguments(this.parts.server, asked) : known;
    if (!answered) {
      return undefined;
    }
    if (isAsked) {
      await remembered.rememberChanges(uri, answered.given, answered.known);
    }
    if (!isAsked) {
      tellGenerated(known);
    }
    const found = launchFields(answered.given, dirname(program));
    const isChosen = isAsked || Object.keys(changes).length > 0;
    // What the user took away is not to be found again.
    return { ...configuration, ...found, ...(isChosen ? { findInputs: false } : {}) };
  }

  /** Whether there is an adapter. Where there is none, the user has been told why. */
  private async canStart(folder: Folder): Promise<boolean> {
    try {
      await this.parts.toolchain.commandLine("dap", folder?.uri);
      return true;
    } catch (error) {
      if (error instanceof ToolchainError) {
        return false;
      }
      throw error;
    }
  }
}

/** Where relative paths begin: in the workspace, or beside a program that is in none. */
function folderFor({ cwd, program }: Configuration, folder: Folder): string {
  return cwd ?? folder?.uri.fsPath ?? dirname(program);
}

/** Saves a program that was changed, unless the user wants nothing saved. */
async function saved(program: string): Promise<void> {
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === program);
  // The setting may be another one for a language.
  const wish = vscode.workspace.getConfiguration("debug", document).get("saveBeforeStart");
  if (document?.isDirty && wish !== "none") {
    await document.save();
  }
}

function refused(why: string): undefined {
  void vscode.window.showErrorMessage(why);
  return undefined;
}

const PROJECT = "ipu.toml";
const OPEN_PROJECT = `Open ${PROJECT}`;

/**
 * Whether the configuration of a program's project has a mistake, which is said then. The adapter
 * would refuse it as well, but Code leads from there to launch.json.
 */
function refusedByProject(program: string): boolean {
  let folder = dirname(program);
  while (!existsSync(join(folder, PROJECT)) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  const uri = vscode.Uri.file(join(folder, PROJECT));
  const found = vscode.languages.getDiagnostics(uri);
  const mistake = found.find(({ severity }) => severity === vscode.DiagnosticSeverity.Error);
  if (mistake) {
    const { range } = mistake;
    const message = mistake.message.replaceAll("`", "");
    const said = `${PROJECT}:${range.start.line + 1}: ${message}`;
    void vscode.window.showErrorMessage(said, OPEN_PROJECT).then((choice) => {
      if (choice) {
        void vscode.window.showTextDocument(uri, { selection: range });
      }
    });
  }
  return mistake !== undefined;
}

/** Says which data nobody gave, so that nobody takes them for real. */
function tellGenerated({ given, generated }: Prefill): void {
  const regions = given.load.flatMap((text) => generated.get(text) ?? []);
  if (regions.length) {
    const message = `${regions.join(", ")}: random numbers, as no data are given.`;
    void vscode.window.showInformationMessage(message, SET_INPUTS).then((choice) => {
      if (choice) {
        void vscode.commands.executeCommand("ipu.setInputs");
      }
    });
  }
}
