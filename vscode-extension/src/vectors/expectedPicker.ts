/** Asks which file a vector is compared with. */

import * as vscode from "vscode";
import type { Pin } from "./messages";
import { expectedFiles, looked } from "./questions";

interface Choice extends vscode.QuickPickItem {
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
  const choices: Choice[] = [
    ...[...known].map((file): Choice => ({ label: `$(file) ${file}`, action: "file", file })),
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
