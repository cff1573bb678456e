/** The views beside a program, in step with it: its listing and its expansion. */

import * as vscode from "vscode";
import { subject } from "../commands/subject";
import type { Part, Parts } from "../parts";
import { ViewContent } from "./content";
import { Steps } from "./steps";
import { type BesideView, EXPANSION, LISTING, viewUri } from "./views";

export const registerListing: Part = (parts) =>
  [LISTING, EXPANSION].flatMap((view) => registered(parts, view));

function registered(parts: Parts, view: BesideView): vscode.Disposable[] {
  const content = new ViewContent(parts, view);
  const open = async (argument: unknown) => {
    const program = await subject(argument);
    if (!program) {
      return;
    }
    const uri = viewUri(view, program.uri);
    content.refresh(uri);
    const opened = await vscode.workspace.openTextDocument(uri);
    const language = view.language ?? program.languageId;
    const shown = await vscode.languages.setTextDocumentLanguage(opened, language);
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false };
    await vscode.window.showTextDocument(shown, where);
  };
  return [
    content,
    new Steps(parts, view),
    vscode.workspace.registerTextDocumentContentProvider(view.scheme, content),
    vscode.commands.registerCommand(view.command, open),
  ];
}
