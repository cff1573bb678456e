/** What tests in the extension host share: our extension, the opened folder, patience. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Api } from "../../src/activation";

const LONGEST_MILLISECONDS = 30_000;
const PAUSE_MILLISECONDS = 20;

/** Our extension, activated. */
export async function extension(): Promise<Api> {
  const found = vscode.extensions.getExtension<Api>("ipu-asm.ipu-asm");
  assert.ok(found, "the extension is not installed");
  return found.activate();
}

/** A file of the opened folder. */
export function workspace(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, "no folder is open");
  return vscode.Uri.joinPath(folder.uri, name);
}

/** Show a file of the opened folder in an editor. */
export async function open(name: string): Promise<void> {
  await vscode.window.showTextDocument(workspace(name));
}

/** What is found in a file of the opened folder. */
export function findings(name: string): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(workspace(name));
}

/** Wait until the language server runs. */
export async function runs(): Promise<void> {
  const { server } = await extension();
  await soon(() => server.state, (state) => state === "running");
}

/** Wait until a value is as expected; fails with the value that it had last. */
export async function soon<Value>(
  probe: () => Value | Promise<Value>,
  expected: (value: Value) => boolean,
): Promise<Value> {
  const deadline = Date.now() + LONGEST_MILLISECONDS;
  for (;;) {
    const value = await probe();
    if (expected(value)) {
      return value;
    }
    assert.ok(Date.now() < deadline, `at last ${JSON.stringify(value)}: not ${expected}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS));
  }
}
