/** The text of listings: the server's documents, also where only the editor knows of a change. */

import * as vscode from "vscode";
import { nameOf } from "../commands/subject";
import type { Parts } from "../parts";

/** The scheme of docs/protocol.md. */
export const SCHEME = "ipu-listing";

/** The address of the listing of a program. */
export function listingUri(program: vscode.Uri): vscode.Uri {
  const path = `/${nameOf(program)}.lst`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: program.toString() });
}

/** The program whose listing an address means. */
export function programUri(listing: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(listing.query, true);
}

/**
 * Asks the server for listings. The client library does so, too, and hears of every edit; what it
 * cannot know is that a server has been started again, or that a program was opened again.
 */
export class ListingContent implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly listeners: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(private readonly parts: Parts) {
    const { server } = parts;
    this.listeners = [
      server.onDidChangeState(() => server.state === "running" && this.refreshAll()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.refresh(listingUri(uri))),
    ];
  }

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    // The server lists programs that are open in the editor.
    await vscode.workspace.openTextDocument(programUri(uri));
    const parameters = { uri: uri.toString() };
    const method = "workspace/textDocumentContent";
    const { text } = await this.parts.server.request<{ text: string }>(method, parameters, token);
    return text;
  }

  /** Ask again for a listing, if it is open. */
  refresh(uri: vscode.Uri): void {
    this.changed.fire(uri);
  }

  dispose(): void {
    this.changed.dispose();
    this.listeners.forEach((listener) => listener.dispose());
  }

  private refreshAll(): void {
    const listings = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME);
    listings.forEach(({ uri }) => this.refresh(uri));
  }
}
