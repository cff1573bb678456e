/** Status items about the document in front. */

import * as vscode from "vscode";
import type { ServerControl } from "./index";

/** How long an edit waits for the next one before the server is asked again. */
const EDIT_DELAY_MS = 500;

/** Where a status item stands, and what it says whatever the document. */
export interface StatusItem {
  readonly id: string;
  readonly name: string;
  readonly tooltip: string;
  readonly command: string;
  /** Those with higher numbers stand further to the left. */
  readonly priority: number;
}

/** Asks the server about the document in front, when nothing has happened for a moment. */
export abstract class DocumentStatus<Answer> implements vscode.Disposable {
  protected readonly item: vscode.StatusBarItem;
  private timer: NodeJS.Timeout | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(
    protected readonly server: ServerControl,
    private readonly ours: vscode.DocumentSelector,
    { id, name, tooltip, command, priority }: StatusItem,
  ) {
    const { window, workspace } = vscode;
    this.item = window.createStatusBarItem(id, vscode.StatusBarAlignment.Right, priority);
    this.item.name = name;
    this.item.tooltip = tooltip;
    this.item.command = command;
    const isOurs = (document: vscode.TextDocument) => vscode.languages.match(ours, document) > 0;
    this.listeners = [
      server.onDidChangeState(() => this.showSoon()),
      window.onDidChangeActiveTextEditor(() => this.showSoon()),
      workspace.onDidOpenTextDocument(() => this.showSoon()),
      // Output channels are documents, too, and what the server logs is no news to it.
      workspace.onDidChangeTextDocument(({ document }) => isOurs(document) && this.showSoon()),
      workspace.onDidSaveTextDocument(() => this.showSoon()),
    ];
  }

  /** Ask again after a moment without edits. */
  showSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), EDIT_DELAY_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => listener.dispose());
    this.item.dispose();
  }

  /** What the item needs to know of a document; nothing where there is nothing to show. */
  protected abstract ask(document: vscode.TextDocument): Promise<Answer | null | undefined>;
  /** The text of the item; undefined where there is nothing to show. */
  protected abstract text(answer: Answer): string | undefined;

  /** The document in front, where the server knows about it. */
  protected get document(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const isOurs = document && vscode.languages.match(this.ours, document) > 0;
    return isOurs && this.server.state === "running" ? document : undefined;
  }

  private async show(): Promise<void> {
    const document = this.document;
    const answer = document && (await this.ask(document).catch(() => undefined));
    if (this.document !== document) {
      return;
    }
    const text = answer ? this.text(answer) : undefined;
    if (text === undefined) {
      this.item.hide();
    } else {
      this.item.text = text;
      this.item.show();
    }
  }
}
