/** Completes a debug configuration, or says in a sentence why it cannot be used. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import { type Parts, ToolchainError } from "../parts";
import { DEBUG_TYPE, isKernel, launch } from "./configurations";

type Configuration = vscode.DebugConfiguration;
type Folder = vscode.WorkspaceFolder | undefined;

/** Looks at a configuration before it is used, first as it is written, then with its variables. */
export class ConfigurationResolver implements vscode.DebugConfigurationProvider {
  constructor(private readonly parts: Parts) {}

  /** F5 without a launch.json gives an empty configuration: the program in the editor is meant. */
  resolveDebugConfiguration(_folder: Folder, given: Configuration): Configuration | undefined {
    const active = vscode.window.activeTextEditor?.document;
    const isEmpty = !given.type && !given.request && !given.name;
    if (isEmpty && !isKernel(active)) {
      return refused("Open an IPU kernel to debug it, or add a launch configuration for one.");
    }
    const configuration = isEmpty ? launch("Run this kernel", "${file}") : { ...given };
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
      return refused("The launch configuration needs `program`: the kernel to debug.");
    }
    if (program.startsWith("untitled:")) {
      return refused("The debugger reads the kernel from a file: save it first.");
    }
    await saved(program);
    return (await this.canStart(folder)) ? { ...given, cwd: folderFor(given, folder) } : undefined;
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
  const wish = vscode.workspace.getConfiguration("debug").get("saveBeforeStart");
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === program);
  if (document?.isDirty && wish !== "none") {
    await document.save();
  }
}

function refused(why: string): undefined {
  void vscode.window.showErrorMessage(why);
  return undefined;
}
