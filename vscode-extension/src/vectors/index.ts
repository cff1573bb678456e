/** The Vectors view: whole registers of the machine that is being debugged, as pictures. */

import * as vscode from "vscode";
import { explained } from "../commands/register";
import type { Part, Parts } from "../parts";
import { BESIDE, iconOf, pageHtml, pageOptions } from "../slotGrid/shell";
import type { Card, FromPage, ToPage } from "./messages";
import { pickExpected, pickVector } from "./picker";
import { isFirst, Pins } from "./pins";
import { inConsole, looked } from "./questions";
import { Stops } from "./stops";

const BODY = `<main id="root" class="vectors"></main>`;
const GOTO = /\b(goto \d+)\b/;

/** Draws anew at every stop, and whenever the user wants something else. */
export class VectorsPanel implements vscode.Disposable {
  private cards: readonly Card[] = [];
  /** Counts the times that the panel was drawn: an answer for an earlier time is out of date. */
  private round = 0;
  private isDisposed = false;
  private readonly listeners: vscode.Disposable[];

  constructor(
    { context }: Parts,
    readonly panel: vscode.WebviewPanel,
    private readonly stops: Stops,
    private readonly pins: Pins,
  ) {
    panel.iconPath = iconOf(context, "vectors");
    this.listeners = [
      panel.webview.onDidReceiveMessage((message: FromPage) => explained(() => this.hear(message))),
      panel.onDidChangeViewState(() => panel.visible && this.refresh()),
      stops.onDidChange(() => this.refresh()),
    ];
    panel.webview.html = pageHtml(context, panel.webview, "vectors", "Vectors", BODY);
  }

  /** From now on there is no webview: an answer that is under way is not shown. */
  dispose(): void {
    this.isDisposed = true;
    this.round++;
    this.listeners.forEach((listener) => listener.dispose());
  }

  /** Ask for the pinned vectors if the machine stands; else show those of the last stop. */
  async refresh(): Promise<void> {
    if (this.isDisposed) {
      return;
    }
    const round = ++this.round;
    const { phase, session } = this.stops;
    const known = new Map(this.cards.map((card) => [card.pin.id, card]));
    let cards = this.pins.all.map((pin): Card => ({ ...known.get(pin.id), pin }));
    if (phase === "standing" && session && this.panel.visible) {
      const found = await Promise.all(this.pins.all.map((pin) => looked(session, pin)));
      cards = found.filter(({ pin, problem }) => !problem || !isFirst(pin));
    }
    if (round === this.round) {
      this.cards = cards;
      this.tell({ kind: "show", phase, stop: this.stops.number, cards });
    }
  }

  /** Let the user choose one more vector. */
  async add(): Promise<void> {
    const { session, phase } = this.stops;
    if (!session || phase !== "standing") {
      void vscode.window.showInformationMessage(
        "Vectors can be pinned while a kernel that is debugged stands still.",
      );
      return;
    }
    const name = await pickVector(session);
    if (name) {
      await this.pins.add(name);
      await this.refresh();
    }
  }

  private tell(message: ToPage): void {
    if (!this.isDisposed) {
      void this.panel.webview.postMessage(message);
    }
  }

  private async hear(message: FromPage): Promise<void> {
    switch (message.kind) {
      case "ready":
        return this.refresh();
      case "add":
        return this.add();
      case "remove":
        await this.pins.remove(message.id);
        return this.refresh();
      case "change":
        await this.pins.change(message.id, message.to);
        return this.refresh();
      case "compare":
        return this.compare(message.id);
      case "copy":
        return this.copy(message.id);
      case "who":
        return this.findAuthor(message.id, message.expression);
      case "console":
        return void (this.stops.session && (await inConsole(this.stops.session, message.command)));
    }
  }

  /** Let the user choose what a vector should be. */
  private async compare(id: number): Promise<void> {
    const { session, phase } = this.stops;
    const pin = this.pins.find(id);
    if (session && pin && phase === "standing") {
      const expected = await pickExpected(session, pin);
      if (expected !== undefined) {
        await this.pins.change(id, { expected: expected || undefined });
        await this.refresh();
      }
    }
  }

  private async copy(id: number): Promise<void> {
    const vector = this.cards.find(({ pin }) => pin.id === id)?.vector;
    if (vector) {
      await vscode.env.clipboard.writeText(vector.numpy);
      vscode.window.setStatusBarMessage(`Copied ${vector.path} as a numpy array`, 3000);
    }
  }

  private async findAuthor(id: number, expression: string): Promise<void> {
    const { session, phase } = this.stops;
    if (session && phase === "standing") {
      const text = await inConsole(session, `who ${expression}`);
      this.tell({ kind: "author", id, expression, text, command: GOTO.exec(text)?.[1] });
    }
  }
}

const VIEW = "ipu.vectors";

/** What the Variables view says of the line that a menu was opened on. */
interface FromVariables {
  readonly variable?: { readonly evaluateName?: string; readonly name?: string };
}

export const registerVectors: Part = (parts) => {
  const stops = new Stops();
  const pins = new Pins(parts.context.workspaceState);
  let shown: VectorsPanel | undefined;

  const keep = (panel: vscode.WebviewPanel): VectorsPanel => {
    panel.webview.options = pageOptions(parts.context);
    const view = new VectorsPanel(parts, panel, stops, pins);
    shown = view;
    panel.onDidDispose(() => {
      view.dispose();
      shown = shown === view ? undefined : shown;
    });
    return view;
  };

  const show = (): VectorsPanel => {
    if (shown) {
      shown.panel.reveal(undefined, true);
      return shown;
    }
    return keep(vscode.window.createWebviewPanel(VIEW, "Vectors", BESIDE));
  };

  const pin = async (argument?: FromVariables) => {
    const name = argument?.variable?.evaluateName ?? argument?.variable?.name;
    if (!name) {
      return show().add();
    }
    const problem = stops.session && (await looked(stops.session, { id: 0, name })).problem;
    if (problem) {
      void vscode.window.showErrorMessage(`${name} cannot be pinned: ${problem}.`);
    } else {
      await pins.add(name);
      await show().refresh();
    }
  };

  return [
    stops,
    { dispose: () => shown?.panel.dispose() },
    vscode.commands.registerCommand("ipu.showVectors", () => void show()),
    vscode.commands.registerCommand("ipu.pinVector", pin),
    vscode.window.registerWebviewPanelSerializer(VIEW, {
      deserializeWebviewPanel: async (panel) => void keep(panel),
    }),
  ];
};
