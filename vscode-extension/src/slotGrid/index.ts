/** The slot grid: bundles by slots, beside the program. */

import * as vscode from "vscode";
import { subject } from "../commands/subject";
import type { Part } from "../parts";
import { SlotGridPanel } from "./panel";
import { pageOptions } from "./shell";

const VIEW = "ipu.slotGrid";

export const registerSlotGrid: Part = (parts) => {
  let shown: SlotGridPanel | undefined;

  const keep = (panel: vscode.WebviewPanel, uri?: vscode.Uri) => {
    const grid = new SlotGridPanel(parts, panel);
    shown = grid;
    panel.onDidDispose(() => {
      grid.dispose();
      shown = shown === grid ? undefined : shown;
    });
    return grid.follow(uri);
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
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { ...pageOptions(parts.context), enableFindWidget: true };
    const panel = vscode.window.createWebviewPanel(VIEW, "Slot grid", where, options);
    return keep(panel, document.uri);
  };

  const serializer: vscode.WebviewPanelSerializer = {
    async deserializeWebviewPanel(panel, state: { uri?: string } | undefined) {
      panel.webview.options = pageOptions(parts.context);
      await keep(panel, state?.uri ? vscode.Uri.parse(state.uri, true) : undefined);
    },
  };
  return [
    vscode.commands.registerCommand("ipu.showSlotGrid", show),
    vscode.window.registerWebviewPanelSerializer(VIEW, serializer),
    { dispose: () => shown?.panel.dispose() },
  ];
};
