/** A log that keeps what it is told. */

import type * as vscode from "vscode";

/** Errors come into the list. */
export function logInto(errors: string[]): vscode.LogOutputChannel {
  const log: Partial<vscode.LogOutputChannel> = {
    debug: () => undefined,
    error: (error: string | Error) => errors.push(String(error)),
  };
  return log as vscode.LogOutputChannel;
}
