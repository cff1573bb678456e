/** The Vectors view: whole registers of the machine that is being debugged, as pictures. */

import * as vscode from "vscode";
import type { Part } from "../parts";
import { pageOptions } from "../slotGrid/shell";
import { VectorsPanel } from "./panel";
import { Pins } from "./pins";
import { looked } from "./questions";
import { Stops } from "./stops";

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
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    return keep(vscode.window.createWebviewPanel(VIEW, "Vectors", where));
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
