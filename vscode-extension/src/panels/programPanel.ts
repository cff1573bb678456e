/** A panel that shows something about the program that was in the editor last. */

import * as vscode from "vscode";
import { explained } from "../commands/register";
import { editorOf, isProgram, nameOf, subject } from "../commands/subject";
import { messageOf, type Part, type Parts } from "../parts";
import type { Range } from "../slotGrid/messages";
import { BESIDE, iconOf, pageHtml, pageOptions } from "../slotGrid/shell";

/** How long an edit waits for the next one before the server is asked again. */
const EDIT_DELAY_MS = 150;

/** What a panel is called, and where its page and its content come from. */
export interface PanelView {
  /** The type of the panel. */
  readonly type: string;
  readonly command: string;
  /** The folder of the page, and the name of its icon. */
  readonly page: string;
  /** The class of the page's root, for its style sheet. */
  readonly className: string;
  readonly title: string;
  readonly request: string;
  /** What is said while no program has been opened. */
  readonly invitation: string;
}

type Notice = { readonly kind: "notice"; readonly text: string };

/** Follows the editor: its program and its edits. */
export abstract class ProgramPanel<Answer, ToPage> implements vscode.Disposable {
  protected document: vscode.TextDocument | undefined;
  private waiting: NodeJS.Timeout | undefined;
  private isDisposed = false;
  private asked = new vscode.CancellationTokenSource();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly parts: Parts,
    readonly panel: vscode.WebviewPanel,
    private readonly view: PanelView,
  ) {
    const { context } = parts;
    const body = `<div id="root" class="${view.className}"></div>`;
    panel.webview.html = pageHtml(context, panel.webview, view.page, view.title, body);
    panel.iconPath = iconOf(context, view.page);
    this.listeners = [
      panel.webview.onDidReceiveMessage((message: { readonly kind: string }) =>
        explained(async () => (message.kind === "ready" ? this.refresh() : this.hear(message))),
      ),
      panel.onDidChangeViewState(() => panel.visible && this.refresh()),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.take(editor?.document)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.move(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.edited(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)),
      vscode.workspace.onDidOpenTextDocument((document) => this.reopened(document)),
      parts.server.onDidChangeState(() => void this.refresh()),
    ];
  }

  /** Draw what the server has answered; without an answer there is nothing to jump to. */
  protected abstract show(document: vscode.TextDocument, answer: Answer | undefined): void;
  /** What the page tells, besides that it is ready. */
  protected abstract hear(message: unknown): void | Promise<void>;
  /** The cursor of an editor has moved. */
  protected move(_editor: vscode.TextEditor): void {}

  /** Follow a program, without one that of the editor. */
  async follow(uri?: vscode.Uri): Promise<void> {
    if (uri) {
      this.document = await openedOrNothing(uri);
    } else {
      const editors = [vscode.window.activeTextEditor, ...vscode.window.visibleTextEditors];
      this.document = editors.find((editor) => editor && isProgram(editor.document))?.document;
    }
    await this.refresh();
  }

  /** From now on there is no webview: an answer that is under way is not shown. */
  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.waiting);
    this.asked.cancel();
    this.asked.dispose();
    this.listeners.forEach((listener) => listener.dispose());
  }

  protected post(message: ToPage | Notice): void {
    if (!this.isDisposed) {
      void this.panel.webview.postMessage(message);
    }
  }

  /** Select a range of the program in its editor. */
  protected async reveal({ start, end }: Range, takesFocus: boolean): Promise<void> {
    if (!this.document) {
      return;
    }
    const editor = await vscode.window.showTextDocument(this.document, {
      viewColumn: editorOf(this.document)?.viewColumn ?? this.otherColumn(),
      preserveFocus: !takesFocus,
    });
    const range = new vscode.Range(start.line, start.character, end.line, end.character);
    editor.selection = new vscode.Selection(range.start, range.end);
    editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
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
      this.waiting = setTimeout(() => void this.refresh(), EDIT_DELAY_MS);
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
      const name = nameOf(document.uri);
      this.notice(document, `${name} is closed. This view follows the next program you open.`);
    }
  }

  private async refresh(): Promise<void> {
    clearTimeout(this.waiting);
    const { document } = this;
    if (this.isDisposed || !this.panel.visible) {
      return;
    }
    if (!document) {
      return this.post({ kind: "notice", text: this.view.invitation });
    }
    this.asked.cancel();
    this.asked.dispose();
    this.asked = new vscode.CancellationTokenSource();
    const { token } = this.asked;
    const answer = await this.answer(document, token);
    if (token.isCancellationRequested) {
      return;
    }
    if (typeof answer === "string") {
      return this.notice(document, answer);
    }
    this.show(document, answer);
  }

  /** The content, or a sentence about why there is none. */
  private async answer(
    document: vscode.TextDocument,
    token: vscode.CancellationToken,
  ): Promise<Answer | string> {
    const parameters = { textDocument: { uri: document.uri.toString() } };
    try {
      const { request } = this.view;
      const found = await this.parts.server.request<Answer | null>(request, parameters, token);
      return found ?? `The server does not know ${nameOf(document.uri)}.`;
    } catch (error) {
      return messageOf(error);
    }
  }

  private notice(document: vscode.TextDocument, text: string): void {
    this.panel.title = this.view.title;
    this.show(document, undefined);
    this.post({ kind: "notice", text });
  }

  /** Where a program is opened that is in no editor: not over this panel. */
  private otherColumn(): vscode.ViewColumn {
    const { One, Beside } = vscode.ViewColumn;
    return this.panel.viewColumn === One ? Beside : One;
  }
}

/** Registers a command that opens a panel beside the program, and one panel of that type. */
export function panelPart<Answer, ToPage>(
  view: PanelView,
  make: (parts: Parts, panel: vscode.WebviewPanel) => ProgramPanel<Answer, ToPage>,
): Part {
  return (parts) => {
    let shown: ProgramPanel<Answer, ToPage> | undefined;

    const keep = (panel: vscode.WebviewPanel, uri?: vscode.Uri) => {
      const kept = make(parts, panel);
      shown = kept;
      panel.onDidDispose(() => {
        kept.dispose();
        shown = shown === kept ? undefined : shown;
      });
      return kept.follow(uri);
    };

    const show = async (argument: unknown) => {
      const document = await subject(argument);
      if (!document) {
        return;
      }
      if (shown) {
        shown.panel.reveal(undefined, true);
        return shown.follow(document.uri);
      }
      const options = { ...pageOptions(parts.context), enableFindWidget: true };
      const panel = vscode.window.createWebviewPanel(view.type, view.title, BESIDE, options);
      return keep(panel, document.uri);
    };

    const serializer: vscode.WebviewPanelSerializer = {
      async deserializeWebviewPanel(panel, state: { uri?: string } | undefined) {
        panel.webview.options = pageOptions(parts.context);
        await keep(panel, state?.uri ? vscode.Uri.parse(state.uri, true) : undefined);
      },
    };
    return [
      vscode.commands.registerCommand(view.command, show),
      vscode.window.registerWebviewPanelSerializer(view.type, serializer),
      { dispose: () => shown?.panel.dispose() },
    ];
  };
}

async function openedOrNothing(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}
