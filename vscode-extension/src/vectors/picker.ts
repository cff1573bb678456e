/** Asks which vector to pin, and with which file to compare one. */

import * as vscode from "vscode";
import type { Listed, Pin } from "./messages";
import { expectedFiles, listed, looked } from "./questions";

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

interface ExpectedChoice extends vscode.QuickPickItem {
  readonly action: "file" | "browse" | "none";
  readonly file?: string;
}

const FILTERS = { "Arrays and bytes": ["npy", "npz", "bin"], "All files": ["*"] };

/** A file, an empty text for none, or nothing if the user leaves it as it is. */
export async function pickExpected(
  session: vscode.DebugSession,
  pin: Pin,
): Promise<string | undefined> {
  const known = new Set([...(pin.expected ? [pin.expected] : []), ...(await expectedFiles(session))]);
  const choices: ExpectedChoice[] = [
    ...[...known].map((file): ExpectedChoice => ({ label: `$(file) ${file}`, action: "file", file })),
    { label: "$(folder-opened) Choose a file…", action: "browse" },
    ...(pin.expected ? [{ label: "$(close) Compare no more", action: "none" } as const] : []),
  ];
  const title = `Compare ${pin.name} with what it should be`;
  const chosen = await vscode.window.showQuickPick(choices, { title });
  const file = chosen?.action === "browse" ? await browsed(title) : chosen?.file;
  if (chosen?.action === "none") {
    return "";
  }
  return file === undefined ? undefined : placed(session, pin, file);
}

async function browsed(title: string): Promise<string | undefined> {
  const found = await vscode.window.showOpenDialog({ title, filters: FILTERS });
  return found?.[0]?.fsPath;
}

/** The file, with the array or the place in it that is asked for where it does not fit as it is. */
async function placed(
  session: vscode.DebugSession,
  pin: Pin,
  file: string,
): Promise<string | undefined> {
  const problemOf = async (expected: string) =>
    (await looked(session, { ...pin, expected })).vector?.expectedProblem;
  const problem = await problemOf(file);
  if (!problem) {
    return file;
  }
  return vscode.window.showInputBox({
    title: problem.replaceAll("`", ""),
    prompt: "x.npz[name] is an array of a file, x.npy@128 begins with element 128, in xmem at 128",
    value: file,
    validateInput: async (text) => (await problemOf(text))?.replaceAll("`", ""),
  });
}
