/** The instruction reference, open at the instruction under the cursor. */

import * as vscode from "vscode";
import type { Parts } from "../parts";
import { BESIDE, iconOf, pageHtml, pageOptions } from "../slotGrid/shell";
import { editorOf, nameOf, subject } from "./subject";

const VIEW = "ipu.reference";

/** What the server's `ipu/reference` answers: see docs/protocol.md. */
interface Reference {
  readonly isa: string;
  readonly title: string;
  readonly anchor: string | null;
  readonly body: string;
}

/** The page of the reference. */
export class ReferencePanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private isa: string | undefined;
  private anchor: string | null = null;

  constructor(private readonly parts: Parts) {}

  /** Show the reference of a program's instruction set; the anchor that it is open at. */
  async open(file: unknown): Promise<string | null | undefined> {
    const document = await subject(file);
    if (!document) {
      return undefined;
    }
    const reference = await this.parts.server.request<Reference | null>("ipu/reference", {
      textDocument: { uri: document.uri.toString() },
      position: placeOf(editorOf(document)),
    });
    if (!reference) {
      throw new Error(`There is no reference for the instruction set of ${nameOf(document.uri)}.`);
    }
    this.show(reference);
    return reference.anchor;
  }

  dispose(): void {
    this.panel?.dispose();
  }

  private show({ isa, title, body, anchor }: Reference): void {
    this.anchor = anchor;
    const panel = this.panel ?? this.newPanel();
    this.panel = panel;
    panel.title = title;
    if (this.isa !== isa) {
      this.isa = isa;
      const { context } = this.parts;
      // The page asks for its anchor when it has been read, also after it was hidden.
      panel.webview.html = pageHtml(context, panel.webview, "reference", title, body);
    } else {
      this.tellAnchor();
    }
    panel.reveal(undefined, true);
  }

  private newPanel(): vscode.WebviewPanel {
    const { context } = this.parts;
    const options = { ...pageOptions(context), enableFindWidget: true };
    const panel = vscode.window.createWebviewPanel(VIEW, "Reference", BESIDE, options);
    panel.iconPath = iconOf(context, "reference");
    panel.webview.onDidReceiveMessage(() => this.tellAnchor());
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.isa = undefined;
    });
    return panel;
  }

  private tellAnchor(): void {
    void this.panel?.webview.postMessage({ anchor: this.anchor });
  }
}

function placeOf(editor: vscode.TextEditor | undefined): object | undefined {
  const place = editor?.selection.active;
  return place && { line: place.line, character: place.character };
}
