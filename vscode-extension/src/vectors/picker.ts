/** Asks which vector to pin. */

import * as vscode from "vscode";
import type { Listed } from "./messages";
import { listed, looked } from "./questions";

interface Choice extends vscode.QuickPickItem {
  readonly name?: string;
}

const ELSE: Choice = {
  label: "$(edit) An expression…",
  description: "such as xmem[cr0 .. +128] or r_cyclic[128..255]",
  alwaysShow: true,
};

/** The name of a vector that can be shown, or nothing if the user wants none. */
export async function pickVector(session: vscode.DebugSession): Promise<string | undefined> {
  const registers = (await listed(session)).map(choice);
  const separator: Choice = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const chosen = await vscode.window.showQuickPick([...registers, separator, ELSE], {
    title: "Pin a vector",
    placeHolder: "A register of several elements, or a part of xmem",
    matchOnDescription: true,
  });
  return chosen === ELSE ? expression(session) : chosen?.name;
}

function choice({ name, note, type, elements }: Listed): Choice {
  return { name, label: name, description: `${elements} × ${type}`, detail: note || undefined };
}

function expression(session: vscode.DebugSession): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Pin a vector",
    prompt: "An expression for up to 512 elements in a register or in xmem",
    placeHolder: "xmem[cr0 + lr1 .. +128]",
    validateInput: async (text) => {
      const { problem } = await looked(session, { id: 0, name: text });
      return text.trim() ? problem : undefined;
    },
  });
}
