/** Synchronises a view and its program: what is scrolled to, and where the cursor is. */

import * as vscode from "vscode";
import type { Parts } from "../parts";
import { type BesideView, programUri, viewUri } from "./views";

/** So long an editor may be under way to where we have scrolled it. */
const SCROLL_ECHO_MS = 250;

/** An editor that we have scrolled: when, and whether it is where we wanted it. */
interface Echo {
  readonly time: number;
  readonly hasArrived: (editor: vscode.TextEditor) => boolean;
}

interface Pair {
  readonly program: vscode.TextEditor;
  readonly listing: vscode.TextEditor;
}

/** Follows the editors in which there are texts of a view. */
export class ListingSync implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("list.inactiveSelectionBackground"),
    outlineColor: new vscode.ThemeColor("contrastActiveBorder"),
    outlineStyle: "dashed",
    outlineWidth: "1px",
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.rangeHighlightForeground"),
  });
  /** The lines of each listing, with the version of the text that they belong to. */
  private readonly lines = new Map<string, { version: number; lines: readonly ListingLine[] }>();
  private readonly echoes = new WeakMap<vscode.TextEditor, Echo>();
  private readonly waiting = new Map<vscode.TextEditor, NodeJS.Timeout>();
  private readonly listeners: vscode.Disposable[];

  constructor(
    private readonly parts: Parts,
    private readonly view: BesideView,
  ) {
    const { window, workspace } = vscode;
    this.listeners = [
      this.mark,
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.scrolled(textEditor)),
      window.onDidChangeTextEditorSelection(({ textEditor }) => void this.point(textEditor)),
      window.onDidChangeVisibleTextEditors((editors) => {
        editors.forEach((editor) => this.expect(editor));
        void this.pointAll();
      }),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === view.scheme) {
          void this.pointAll();
        }
      }),
      workspace.onDidCloseTextDocument(({ uri }) => this.lines.delete(uri.toString())),
    ];
  }

  dispose(): void {
    this.waiting.forEach((timer) => clearTimeout(timer));
    this.listeners.forEach((listener) => listener.dispose());
  }

  /** A view that has just been opened begins at its top: the program is not to follow it there. */
  private expect(editor: vscode.TextEditor): void {
    if (editor.document.uri.scheme === this.view.scheme && !this.echoes.has(editor)) {
      this.echoes.set(editor, { time: Date.now(), hasArrived: () => true });
    }
  }

  /** An editor shows other lines than before: was it the user, or is it where we sent it? */
  private scrolled(editor: vscode.TextEditor): void {
    const echo = this.echoes.get(editor);
    if (!echo || Date.now() - echo.time > SCROLL_ECHO_MS) {
      void this.follow(editor);
    } else if (!this.waiting.has(editor)) {
      const look = () => {
        this.waiting.delete(editor);
        if (!echo.hasArrived(editor)) {
          void this.follow(editor);
        }
      };
      this.waiting.set(editor, setTimeout(look, SCROLL_ECHO_MS));
    }
  }

  /** Scroll the other editor to what this one shows. */
  private async follow(editor: vscode.TextEditor): Promise<void> {
    const pair = this.pairOf(editor);
    const first = editor.visibleRanges[0]?.start.line;
    if (!pair || first === undefined) {
      return;
    }
    const lines = await this.linesOf(pair);
    if (first !== editor.visibleRanges[0]?.start.line) {
      return; // Scrolled on meanwhile, which is an event of its own.
    }
    const isProgram = editor === pair.program;
    const other = isProgram ? pair.listing : pair.program;
    // The head of a listing belongs to nothing: the top of one is the top of the other.
    const map = isProgram ? listingLineOf : programLineOf;
    const target = first === 0 ? 0 : map(lines, first);
    if (target !== other.visibleRanges[0]?.start.line) {
      this.echoes.set(other, { time: Date.now(), hasArrived: (one) => isAtTop(one, target) });
      other.revealRange(wholeLine(target), vscode.TextEditorRevealType.AtTop);
    }
  }

  private async pointAll(): Promise<void> {
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme === this.view.scheme) {
        const pair = this.pairOf(editor);
        await this.point(pair?.program ?? editor);
      }
    }
  }

  /** Mark in the other editor what the cursor of this one is at. */
  private async point(editor: vscode.TextEditor): Promise<void> {
    const pair = this.pairOf(editor);
    if (!pair) {
      editor.setDecorations(this.mark, []);
      return;
    }
    const lines = await this.linesOf(pair);
    const isProgram = editor === pair.program;
    const cursor = editor.selection.active.line;
    const line = isProgram ? cursor : programLineOf(lines, cursor);
    const shown = linesShowing(lines, line).map(wholeLine);
    pair.listing.setDecorations(this.mark, shown);
    pair.program.setDecorations(this.mark, isProgram ? [] : [wholeLine(line)]);
    const other = isProgram ? pair.listing : pair.program;
    const target = isProgram ? shown[0] : wholeLine(line);
    if (target && editor === vscode.window.activeTextEditor) {
      this.echoes.set(other, { time: Date.now(), hasArrived: (one) => isSeen(one, target) });
      other.revealRange(target, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }

  /** The editors of a program and of its listing, if both can be seen. */
  private pairOf(editor: vscode.TextEditor): Pair | undefined {
    const { uri } = editor.document;
    const isListing = uri.scheme === this.view.scheme;
    const wanted = (isListing ? programUri(uri) : viewUri(this.view, uri)).toString();
    const editors = vscode.window.visibleTextEditors;
    const other = editors.find(({ document }) => document.uri.toString() === wanted);
    if (!other) {
      return undefined;
    }
    return isListing ? { program: other, listing: editor } : { program: editor, listing: other };
  }

  private async linesOf({ program, listing }: Pair): Promise<readonly ListingLine[]> {
    const key = listing.document.uri.toString();
    const { version } = listing.document;
    const known = this.lines.get(key);
    if (known?.version === version) {
      return known.lines;
    }
    const parameters = { textDocument: { uri: program.document.uri.toString() } };
    type Answer = { readonly lines: readonly ListingLine[] } | null;
    const ask = this.parts.server.request<Answer>(this.view.request, parameters);
    const answer = await ask.catch(() => null);
    if (!answer) {
      return [];
    }
    this.lines.set(key, { version, lines: answer.lines });
    return answer.lines;
  }
}

function wholeLine(line: number): vscode.Range {
  return new vscode.Range(line, 0, line, 0);
}

/** Whether a line is the first that is seen, or as near to it as the end of the text lets it. */
function isAtTop(editor: vscode.TextEditor, line: number): boolean {
  const range = editor.visibleRanges[0];
  const isAtEnd = (range?.end.line ?? 0) >= editor.document.lineCount - 1;
  return range?.start.line === line || (isAtEnd && (range?.start.line ?? 0) <= line);
}

function isSeen(editor: vscode.TextEditor, range: vscode.Range): boolean {
  return editor.visibleRanges.some((visible) => visible.contains(range.start));
}

/** What a line of a listing or an expansion shows, as the server answers it. */
interface ListingLine {
  readonly line: number | null;
}

/** Which lines of a listing show a line of the program: one for each bundle, and its errors. */
export function linesShowing(lines: readonly ListingLine[], line: number): number[] {
  return lines.flatMap((shown, number) => (shown.line === line ? [number] : []));
}

/** The first line of the listing that shows a line of the program, or the nearest one above it. */
export function listingLineOf(lines: readonly ListingLine[], line: number): number {
  const index = lines.findIndex((shown) => shown.line !== null && shown.line >= line);
  return index < 0 ? Math.max(0, lines.length - 1) : index;
}

/** The line of the program that a line of the listing shows; for its head, the first one. */
export function programLineOf(lines: readonly ListingLine[], number: number): number {
  return lines[Math.min(number, lines.length - 1)]?.line ?? 0;
}
