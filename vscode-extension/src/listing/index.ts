/** The views beside a program, in step with it: its listing and its expansion; and objects. */

import * as vscode from "vscode";
import { subject } from "../commands/subject";
import type { Part, Parts } from "../parts";
import { ListingSync } from "./listingSync";
import { registerObjects } from "./objects";
import { type BesideView, EXPANSION, LISTING, programUri, viewUri } from "./views";

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

/**
 * Asks the server for the texts of a view. The client library does so, too, and hears of every edit; what it
 * cannot know is that a server has been started again, or that a program was opened again.
 */
class ViewContent implements vscode.TextDocumentContentProvider, vscode.Disposable {
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
