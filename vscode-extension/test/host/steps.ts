/** What tests do as people do: files with texts, commands about them, typing, tabs. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { open, soon, workspace } from "./extension";

/** A program that stores once and halts. */
export const HALTING = "set lr0 0;;\nstr_acc_reg lr0 cr1;;\nbkpt;;\n";

/** One of our commands about a file of the opened folder; its name is without `ipu.`. */
export async function command<Answer>(name: string, file?: string, given?: object): Promise<Answer> {
  const program = file && workspace(file);
  return vscode.commands.executeCommand<Answer>(`ipu.${name}`, program, given);
}

/** Write a file of the opened folder; where it is open, its text is the new one. */
export async function written(name: string, text: string): Promise<void> {
  await vscode.workspace.fs.writeFile(workspace(name), Buffer.from(text));
  const known = vscode.workspace.textDocuments.find(({ uri }) => `${uri}` === `${workspace(name)}`);
  if (known) {
    await soon(() => known.getText(), (now) => now === text);
  }
}

/** Write a file of the opened folder and show it in an editor, which has the text. */
export async function opened(name: string, text: string): Promise<vscode.TextDocument> {
  await written(name, text);
  await open(name);
  const document = vscode.window.activeTextEditor?.document;
  assert.ok(document);
  await soon(() => document.getText(), (now) => now === text);
  return document;
}

/** The text of a file on the disk. */
export async function read(name: string): Promise<string> {
  return Buffer.from(await vscode.workspace.fs.readFile(workspace(name))).toString();
}

/** Type at the beginning of the active editor. */
export async function type(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  assert.ok(await editor?.edit((edit) => edit.insert(new vscode.Position(0, 0), text)));
}

/** What is written on the tabs. */
export function tabs(): string[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
}
