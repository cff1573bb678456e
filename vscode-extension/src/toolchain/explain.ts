/** What cannot be done, in a message with the ways out of it. */

import * as vscode from "vscode";

/** What a workspace that is not trusted gets to see. */
export const UNTRUSTED =
  "IPU Assembly starts no programs in a workspace that is not trusted: " +
  "no findings, no hover, no debugger.";

const SETTINGS = "Open Settings";
const LOG = "Show Log";
const TRUST = "Manage Trust";

const shown = new Set<string>();

/** Show why a program cannot be started, once at a time. */
export async function explain(log: vscode.LogOutputChannel, message: string): Promise<void> {
  log.error(message);
  if (shown.has(message)) {
    return;
  }
  shown.add(message);
  const ways = message === UNTRUSTED ? [TRUST] : [SETTINGS, LOG];
  const way = await vscode.window.showErrorMessage(message, ...ways);
  shown.delete(message);
  await follow(log, way);
}

async function follow(log: vscode.LogOutputChannel, way: string | undefined): Promise<void> {
  if (way === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ipu.interpreter");
  } else if (way === TRUST) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  } else if (way === LOG) {
    log.show();
  }
}
