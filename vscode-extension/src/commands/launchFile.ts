/** Keeps the arguments of a run as a configuration in `launch.json`. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import { launch } from "../debug/configurations";
import { launchFields } from "../debug/rememberedInputs";
import type { Arguments } from "./runArguments";
import { nameOf } from "./subject";

/**
 * Add a configuration for a program, in place of one of the same name; whether that was done. Paths
 * in the workspace folder begin with its variable, so that they hold on other machines too.
 */
export async function saveLaunch(program: vscode.Uri, given: Arguments): Promise<boolean> {
  const folder = vscode.workspace.getWorkspaceFolder(program);
  if (!folder) {
    void vscode.window.showErrorMessage("A launch.json needs an open folder with the kernel in it.");
    return false;
  }
  const fields = launchFields(given, dirname(program.fsPath));
  const made = launch(nameOf(program), program.fsPath, fields);
  const configuration = withVariable(made, folder.uri.fsPath) as vscode.DebugConfiguration;
  const settings = vscode.workspace.getConfiguration("launch", folder.uri);
  // Those of the user and of the workspace file stay where they are.
  const found = settings.inspect<vscode.DebugConfiguration[]>("configurations");
  const known = found?.workspaceFolderValue ?? [];
  const others = known.filter(({ type, name }) => type !== made.type || name !== made.name);
  const { WorkspaceFolder } = vscode.ConfigurationTarget;
  await settings.update("configurations", [...others, configuration], WorkspaceFolder);
  return true;
}

/** The value with `${workspaceFolder}` where a text begins with the folder. */
function withVariable(value: unknown, folder: string): unknown {
  if (typeof value === "string") {
    const isInside = value.startsWith(`${folder}/`) || value.startsWith(`${folder}\\`);
    return isInside ? `\${workspaceFolder}${value.slice(folder.length)}` : value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => withVariable(item, folder));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, withVariable(item, folder)]);
    return Object.fromEntries(entries);
  }
  return value;
}
