/** Debug configurations that we make ourselves, where the user has written none. */

import * as vscode from "vscode";

/** What `type` says in a launch configuration. */
export const DEBUG_TYPE = "ipu";

/** The languages whose programs can be executed. */
export const EXECUTABLE: readonly string[] = ["aie-asm", "ipu-asm"];

/** The configuration that debugs one program. */
export function launch(
  name: string,
  program: string,
  more: Partial<vscode.DebugConfiguration> = {},
): vscode.DebugConfiguration {
  return { type: DEBUG_TYPE, request: "launch", name, program, ...more };
}

/** Whether a document is a program that the machine can execute. */
export function isKernel(document: vscode.TextDocument | undefined): boolean {
  return document !== undefined && EXECUTABLE.includes(document.languageId);
}
