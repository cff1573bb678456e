/** Asks which vector to pin. */

import * as vscode from "vscode";
import type { Listed } from "./messages";
import { listed, looked } from "./questions";

interface Choice extends vscode.QuickPickItem {
  readonly name?: string;
}

/**
 * The name of a vector that can be shown, or nothing if the user wants none: a register of the list,
 * or the expression that is typed.
 */
export async function pickVector(session: vscode.DebugSession): Promise<string | undefined> {
  const registers = (await listed(session)).map(choice);
  const box = vscode.window.createQuickPick<Choice>();
  box.title = "Pin a vector";
  box.placeholder = "A register of several elements, or an expression such as xmem[cr0 .. +128]";
  box.matchOnDescription = true;
  box.items = registers;
  box.onDidChangeValue((text) => {
    const name = text.trim();
    const isNew = name && !registers.some((each) => each.name === name);
    box.items = isNew ? [...registers, typed(name)] : registers;
  });
  try {
    return await chosen(session, box);
  } finally {
    box.dispose();
  }
}

/** What is accepted, once it is a vector; what is none says why in the list. */
function chosen(
  session: vscode.DebugSession,
  box: vscode.QuickPick<Choice>,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    box.onDidHide(() => resolve(undefined));
    box.onDidAccept(async () => {
      const name = box.selectedItems[0]?.name;
      if (!name) {
        return;
      }
      const { problem } = await looked(session, { id: 0, name });
      if (!problem) {
        resolve(name);
      } else {
        box.items = [{ ...typed(name), detail: `$(error) ${problem.replaceAll("`", "")}` }];
      }
    });
    box.show();
  });
}

function typed(name: string): Choice {
  return { name, label: `$(edit) ${name}`, description: "this expression", alwaysShow: true };
}

function choice({ name, note, type, elements }: Listed): Choice {
  return { name, label: name, description: `${elements} × ${type}`, detail: note || undefined };
}
