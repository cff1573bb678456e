/** Commands that say what goes wrong. */

import * as vscode from "vscode";
import { messageOf, ToolchainError } from "../parts";

/** Register a command; a failure becomes a message, if nobody has said it yet. */
export function command(
  name: string,
  work: (...given: unknown[]) => Promise<unknown>,
): vscode.Disposable {
  return vscode.commands.registerCommand(name, (...given: unknown[]) =>
    explained(() => work(...given)),
  );
}

/** Do something; a failure becomes a message, if nobody has said it yet. Never rejects. */
export async function explained<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolchainError)) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
    return undefined;
  }
}
