/** The remarks of the server between the words and above labels: all off, or as before. */

import * as vscode from "vscode";

const REMARKS = ["inlayHints.trips", "codeLens.loops"];

/** Switches the remarks about loops, where the user or the workspace has set them. */
export async function toggleRemarks(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("ipu");
  const isOn = REMARKS.some((name) => settings.get(name));
  for (const name of REMARKS) {
    const isOfWorkspace = settings.inspect(name)?.workspaceValue !== undefined;
    const target = isOfWorkspace
      ? vscode.ConfigurationTarget.Workspace
      : vscode.ConfigurationTarget.Global;
    await settings.update(name, !isOn, target);
  }
}
