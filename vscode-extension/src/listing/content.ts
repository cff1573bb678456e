/** The text of listings and expansions: the server's documents, also where only the editor knows of a change. */

import * as vscode from "vscode";
import type { Parts } from "../parts";
import { type BesideView, programUri, viewUri } from "./views";

/**
 * Asks the server for the texts of a view. The client library does so, too, and hears of every edit; what it
 * cannot know is that a server has been started again, or that a program was opened again.
 */
export class ViewContent implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly listeners: vscode.Disposable[];
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly parts: Parts,
    private readonly view: BesideView,
  ) {
    const { server } = parts;
    this.listeners = [
      server.onDidChangeState(() => server.state === "running" && this.refreshAll()),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => this.refresh(viewUri(view, uri))),
    ];
  }

  async provideTextDocumentContent(
    uri: vscode.Uri,
    token: vscode.CancellationToken,
  ): Promise<string> {
    // The server shows programs that are open in the editor.
    await vscode.workspace.openTextDocument(programUri(uri));
    const parameters = { uri: uri.toString() };
    const method = "workspace/textDocumentContent";
    const { text } = await this.parts.server.request<{ text: string }>(method, parameters, token);
    return text;
  }

  /** Ask again for a text, if it is open. */
  refresh(uri: vscode.Uri): void {
    this.changed.fire(uri);
  }

  dispose(): void {
    this.changed.dispose();
    this.listeners.forEach((listener) => listener.dispose());
  }

  private refreshAll(): void {
    const { scheme } = this.view;
    const shown = vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === scheme);
    shown.forEach(({ uri }) => this.refresh(uri));
  }
}
