/** The share of the cycles in front of the lines of a profiled program, until its text changes. */

import * as vscode from "vscode";

/** Lines of a program with the same bundles, as the server describes them (docs/protocol.md). */
export interface Mark {
  readonly line: number;
  readonly endLine: number;
  readonly text: string;
  readonly tooltip: string;
  readonly heat: number;
}

/** Colours by heat: what did not run, then from cool to hot. */
const COLOURS = ["disabledForeground", "charts.blue", "charts.yellow", "charts.orange", "charts.red"];

export class ProfileMarks implements vscode.Disposable {
  private readonly profiled = new Map<string, { text: string; marks: readonly Mark[] }>();
  private isOn = true;
  private readonly column = vscode.window.createTextEditorDecorationType({});
  private readonly heats = COLOURS.map(heatType);
  private readonly listeners = [
    vscode.window.onDidChangeVisibleTextEditors(() => this.redraw()),
    vscode.workspace.onDidChangeTextDocument(({ document }) => this.redraw(document)),
  ];

  /** Mark a program, as long as it has this text. */
  show(program: vscode.Uri, text: string, marks: readonly Mark[]): void {
    this.profiled.set(program.toString(), { text, marks });
    this.isOn = true;
    this.redraw();
  }

  /** Hide all marks or show them; whether there is a profile of the text in front. */
  toggle(): boolean {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || this.marksOf(document) === undefined) {
      return false;
    }
    this.isOn = !this.isOn;
    this.redraw();
    return true;
  }

  dispose(): void {
    [...this.listeners, this.column, ...this.heats].forEach((each) => void each.dispose());
  }

  private marksOf(document: vscode.TextDocument): readonly Mark[] | undefined {
    const known = this.profiled.get(document.uri.toString());
    return known?.text === document.getText() ? known?.marks : undefined;
  }

  private redraw(only?: vscode.TextDocument): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      if (this.profiled.has(document.uri.toString()) && document === (only ?? document)) {
        this.draw(editor, (this.isOn && this.marksOf(document)) || []);
      }
    }
  }

  private draw(editor: vscode.TextEditor, marks: readonly Mark[]): void {
    const byLine = new Map(marks.map((mark) => [mark.line, mark]));
    const width = `${Math.max(...marks.map(({ text }) => text.length))}ch`;
    // The other lines keep the column free: indentation stays comparable.
    const lines = marks.length ? [...Array(editor.document.lineCount).keys()] : [];
    const column = lines.map((line) => {
      const { text, tooltip = "" } = byLine.get(line) ?? { text: " " };
      // The stripe has the colour: a red difference would look like a loss.
      const color = new vscode.ThemeColor("descriptionForeground");
      // Blanks that may break are joined.
      const before = { contentText: text.replaceAll(" ", "\u00a0"), color, width, margin: "0 2ch 0 1ch" };
      const range = new vscode.Range(line, 0, line, 0);
      return { range, hoverMessage: new vscode.MarkdownString(tooltip), renderOptions: { before } };
    });
    editor.setDecorations(this.column, column);
    this.heats.forEach((type, heat) => {
      const same = marks.filter((mark) => mark.heat === heat);
      editor.setDecorations(type, same.map(({ line, endLine }) => new vscode.Range(line, 0, endLine, 0)));
    });
  }
}

/** A stripe in front of the lines of a bundle, and of hot ones a mark in the scroll bar. */
function heatType(name: string, heat: number): vscode.TextEditorDecorationType {
  const color = new vscode.ThemeColor(name);
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    borderWidth: heat ? "0 0 0 3px" : "0",
    borderStyle: "solid",
    borderColor: color,
    ...(heat > 2 ? { overviewRulerColor: color } : {}),
  });
}
