/** The command that debugs the program in the editor, without a question. */

import * as vscode from "vscode";
import { nameOf, subject } from "../commands/subject";
import { launch } from "./configurations";

/** Debug the file that a menu was opened on, else the one in the editor. */
export async function debugKernel(argument: unknown): Promise<boolean> {
  const document = await subject(argument);
  if (!document) {
    return false;
  }
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const program = document.isUntitled ? document.uri.toString() : document.uri.fsPath;
  const configuration = launch(nameOf(document.uri), program, { lastInputs: true });
  return vscode.debug.startDebugging(folder, configuration);
}
