/** The context in which the document in front is shown, and its choice. */

import * as vscode from "vscode";
import { ourDocuments } from "./documents";
import type { ServerControl } from "./index";

/** What the server answers: all contexts, and the number of the one that counts. */
interface Contexts {
  readonly contexts: readonly string[];
  readonly selected: number;
}

const PAUSE_MILLISECONDS = 500;

/** Registers the status item, which is there for documents with several contexts, and its command. */
export function registerContexts(context: vscode.ExtensionContext, server: ServerControl): void {
  const item = new ContextItem(server, ourDocuments(context.extension));
  context.subscriptions.push(
    item,
    server.onDidChangeState(() => item.showSoon()),
    vscode.window.onDidChangeActiveTextEditor(() => item.showSoon()),
    vscode.workspace.onDidChangeTextDocument(() => item.showSoon()),
    vscode.workspace.onDidSaveTextDocument(() => item.showSoon()),
    vscode.commands.registerCommand("ipu.chooseContext", (number?: number) => item.choose(number)),
  );
}

class ContextItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem(
    "ipu.context",
    vscode.StatusBarAlignment.Right,
    100,
  );
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: ServerControl,
    private readonly ours: vscode.DocumentSelector,
  ) {
    this.item.name = "IPU Context";
    this.item.command = "ipu.chooseContext";
    this.item.tooltip = "The template context that hovers, hints and commands show";
  }

  showSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), PAUSE_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.item.dispose();
  }

  /** Selects a context of the document in front: that with the number, else the user's choice. */
  async choose(number?: number): Promise<void> {
    const document = this.document;
    const known = document && (await this.ask(document));
    if (document === undefined || known === undefined || known.contexts.length < 2) {
      void vscode.window.showInformationMessage("This file has one context.");
      return;
    }
    const chosen = number ?? (await pick(known));
    if (chosen !== undefined) {
      await this.ask(document, chosen);
      this.showSoon();
    }
  }

  private async show(): Promise<void> {
    const document = this.document;
    const known = document && (await this.ask(document).catch(() => undefined));
    if (this.document !== document) {
      return;
    }
    if (known === undefined || known.contexts.length < 2) {
      this.item.hide();
      return;
    }
    this.item.text = known.contexts[known.selected] ?? "";
    this.item.show();
  }

  /** The document in front, where the server knows about it. */
  private get document(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const isOurs = document && vscode.languages.match(this.ours, document) > 0;
    return isOurs && this.server.state === "running" ? document : undefined;
  }

  private ask(document: vscode.TextDocument, context?: number): Promise<Contexts | undefined> {
    const argument = { uri: document.uri.toString(), context };
    const parameters = { command: "ipu.selectContext", arguments: [argument] };
    return this.server.request<Contexts>("workspace/executeCommand", parameters);
  }
}

async function pick({ contexts, selected }: Contexts): Promise<number | undefined> {
  const choices = contexts.map((label, number) => ({
    label,
    number,
    description: number === selected ? "selected" : "",
  }));
  const placeHolder = "The context that hovers, hints and commands show; all are checked";
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.number;
}
