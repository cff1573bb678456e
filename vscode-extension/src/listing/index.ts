/** The listing: address, word and source side by side, in step with the program. */

import * as vscode from "vscode";
import { subject } from "../commands/subject";
import type { Part } from "../parts";
import { ListingContent, listingUri, SCHEME } from "./content";
import { Steps } from "./steps";

/** What gives the listing its colours. */
const LANGUAGE = "ipu-listing";

export const registerListing: Part = (parts) => {
  const content = new ListingContent(parts);
  const open = async (argument: unknown) => {
    const document = await subject(argument);
    if (!document) {
      return;
    }
    const uri = listingUri(document.uri);
    content.refresh(uri);
    const opened = await vscode.workspace.openTextDocument(uri);
    const listing = await vscode.languages.setTextDocumentLanguage(opened, LANGUAGE);
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false };
    await vscode.window.showTextDocument(listing, where);
  };
  return [
    content,
    new Steps(parts),
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, content),
    vscode.commands.registerCommand("ipu.openListing", open),
  ];
};
