/** The panel that shows the slot grid of the program that was in the editor last. */

import * as vscode from "vscode";
import { editorOf, isProgram, nameOf } from "../commands/subject";
import type { Parts } from "../parts";
import type { FromPage, Grid, PlacedRow, ToPage } from "./messages";
import { forPage, rangeOf, rowAt } from "./rows";
import { pageHtml } from "./shell";

/** How long an edit waits for the next one before the grid is asked for again. */
const PATIENCE_MS = 150;

/** What is there before the script has drawn anything. */
const BODY = `<div id="root" class="slot-grid"></div>`;

/** Follows the editor: its program, its edits, its cursor. */
export class SlotGridPanel implements vscode.Disposable {
  private document: vscode.TextDocument | undefined;
  private grid: Grid<PlacedRow> | undefined;
  private waiting: NodeJS.Timeout | undefined;
  private asked = new vscode.CancellationTokenSource();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly parts: Parts,
    readonly panel: vscode.WebviewPanel,
  ) {
    const { context } = parts;
    panel.webview.html = pageHtml(context, panel.webview, "slotGrid", "Slot grid", BODY);
    panel.iconPath = {
      light: vscode.Uri.joinPath(context.extensionUri, "media", "slotGrid-light.svg"),
      dark: vscode.Uri.joinPath(context.extensionUri, "media", "slotGrid-dark.svg"),
    };
    this.listeners = [
      panel.webview.onDidReceiveMessage((message: FromPage) => this.hear(message)),
      panel.onDidChangeViewState(() => panel.visible && this.refresh()),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.take(editor?.document)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.move(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.edited(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.reopened(document)),
      parts.server.onDidChangeState(() => void this.refresh()),
    ];
  }

  /** Show the grid of a program, without one that of the editor. */
  async follow(uri?: vscode.Uri): Promise<void> {
    if (uri) {
      this.document = await openedOrNothing(uri);
    } else {
      const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
      this.document = editors.find((editor) => editor && isProgram(editor.document))?.document;
    }
    await this.refresh();
  }

  dispose(): void {
    clearTimeout(this.waiting);
    this.asked.dispose();
    this.listeners.forEach((listener) => listener.dispose());
  }

  private hear(message: FromPage): void {
    if (message.kind === "ready") {
      void this.refresh();
    } else {
      void this.go(message);
    }
  }

  private take(document: vscode.TextDocument | undefined): void {
    if (document && isProgram(document) && document !== this.document) {
      this.document = document;
      void this.refresh();
    }
  }

  private edited(document: vscode.TextDocument): void {
    if (document === this.document) {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => void this.refresh(), PATIENCE_MS);
    }
  }

  /** A change of the language closes a document and opens it again; so may the user. */
  private reopened(document: vscode.TextDocument): void {
    if (document.uri.toString() === this.document?.uri.toString() && isProgram(document)) {
      this.document = document;
      void this.refresh();
    }
  }

  private closed(document: vscode.TextDocument): void {
    if (document === this.document) {
      this.notice(`${nameOf(document.uri)} is closed. The grid follows the next program you open.`);
    }
  }

  private move(editor: vscode.TextEditor): void {
    if (editor.document === this.document && this.grid) {
      this.post({ kind: "current", row: this.current(editor) });
    }
  }

  private current(editor: vscode.TextEditor | undefined): number | null {
    return editor && this.grid ? rowAt(this.grid.rows, editor.selection.active) : null;
  }

  private async refresh(): Promise<void> {
    clearTimeout(this.waiting);
    const { document } = this;
    if (!this.panel.visible) {
      return;
    }
    if (!document) {
      return this.notice("Open an assembly program to see its bundles by slots.");
    }
    this.asked.cancel();
    this.asked = new vscode.CancellationTokenSource();
    const { token } = this.asked;
    const answer = await this.answer(document, token);
    if (token.isCancellationRequested) {
      return;
    }
    if (typeof answer === "string") {
      return this.notice(answer);
    }
    this.show(document, answer);
  }

  /** The grid, or a sentence about why there is none. */
  private async answer(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<Grid<PlacedRow> | string> {
    const parameters = { textDocument: { uri: document.uri.toString() } };
    try {
      const { server } = this.parts;
      const grid = await server.request<Grid<PlacedRow> | null>("ipu/slotGrid", parameters, token);
      return grid ?? `The server knows no slots of ${nameOf(document.uri)}.`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  private show(document: vscode.TextDocument, grid: Grid<PlacedRow>): void {
    this.grid = grid;
    const file = nameOf(document.uri);
    this.panel.title = `Slots: ${file}`;
    this.post({
      kind: "grid",
      uri: document.uri.toString(),
      file,
      grid: forPage(grid),
      current: this.current(editorOf(document)),
    });
  }

  private notice(text: string): void {
    this.grid = undefined;
    this.panel.title = "Slot grid";
    this.post({ kind: "notice", text });
  }

  private async go(message: Extract<FromPage, { kind: "go" }>): Promise<void> {
    const row = this.grid?.rows[message.row];
    if (!this.document || !row) {
      return;
    }
    const { start, end } = rangeOf(row, message.slot, message.index);
    const editor = await vscode.window.showTextDocument(this.document, {
      viewColumn: editorOf(this.document)?.viewColumn ?? this.otherColumn(),
      preserveFocus: !message.focus,
    });
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Where a program is opened that is in no editor: not over this panel. */
  private otherColumn(): vscode.ViewColumn {
    const { One, Beside } = vscode.ViewColumn;
    return this.panel.viewColumn === One ? Beside : One;
  }

  private post(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }
}

async function openedOrNothing(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}
