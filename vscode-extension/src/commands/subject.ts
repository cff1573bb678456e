/** What a command is about: the file it was called on, else the one in the editor. */

import * as vscode from "vscode";
import { LANGUAGES } from "../languages";

const VIEWS = /^ipu-/;

/** Whether a document is a program, not a view that we made of one. */
export function isProgram(document: vscode.TextDocument): boolean {
  return LANGUAGES.includes(document.languageId) && !VIEWS.test(document.uri.scheme);
}

/**
 * The program that a command is about. Menus give the address of their file, the keyboard and the
 * command palette nothing. Says so where there is none.
 */
export async function subject(argument: unknown): Promise<vscode.TextDocument | undefined> {
  const document = await documentOf(argument);
  if (document && isProgram(document)) {
    return document;
  }
  const what = document ? `${nameOf(document.uri)} is not one.` : "There is none in the editor.";
  void vscode.window.showErrorMessage(`This command is about an assembly program. ${what}`);
  return undefined;
}

/**
 * The program that a command is about, where a process can read it. Says so where it is on no disk,
 * as in a virtual workspace.
 */
export async function subjectOnDisk(argument: unknown): Promise<vscode.TextDocument | undefined> {
  const document = await subject(argument);
  if (!document || ["file", "untitled"].includes(document.uri.scheme)) {
    return document;
  }
  void vscode.window.showErrorMessage(`${nameOf(document.uri)} is on no disk. ${NEEDS_DISK}`);
  return undefined;
}

/** Why a program is not executed here, and what to do. */
export const NEEDS_DISK =
  "Kernels are run, profiled and debugged by programs of a computer: open the folder from its disk, " +
  "in Visual Studio Code on a desktop.";

/** The last part of an address. */
export function nameOf(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf("/") + 1);
}

/** The folder of a file. */
export function parentOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(uri, "..");
}

/** The editor in which a document can be seen, the active one first. */
export function editorOf(document: vscode.TextDocument): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  if (activeTextEditor?.document === document) {
    return activeTextEditor;
  }
  return visibleTextEditors.find((editor) => editor.document === document);
}

async function documentOf(argument: unknown): Promise<vscode.TextDocument | undefined> {
  if (argument instanceof vscode.Uri) {
    return vscode.workspace.openTextDocument(argument);
  }
  const active = vscode.window.activeTextEditor?.document;
  const seen = vscode.window.visibleTextEditors.map((editor) => editor.document);
  // With the focus in one of our views, the program beside it is meant.
  return active ?? seen.find(isProgram);
}
