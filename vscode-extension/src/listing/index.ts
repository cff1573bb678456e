/** The views beside a program, in step with it: its listing and its expansion; and objects. */

import * as vscode from "vscode";
import { subject } from "../commands/subject";
import type { Part, Parts } from "../parts";
import { ViewContent } from "./content";
import { ListingSync } from "./listingSync";
import { registerObjects } from "./objects";
import { type BesideView, EXPANSION, LISTING, viewUri } from "./views";

export const registerListing: Part = (parts) =>
  [
    ...[LISTING, EXPANSION].flatMap((view) => registered(parts, view)),
    ...registerObjects(parts),
    vscode.commands.registerCommand("ipu.toggleListingWords", toggleWords),
  ];

/** Show words in listings, or hide them; the server then makes the open ones again. */
async function toggleWords(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("ipu");
  const words = settings.get("listing.words") === "full" ? "none" : "full";
  await settings.update("listing.words", words, vscode.ConfigurationTarget.Global);
}

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
    new ListingSync(parts, view),
    vscode.workspace.registerTextDocumentContentProvider(view.scheme, content),
    vscode.commands.registerCommand(view.command, open),
  ];
}
