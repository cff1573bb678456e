/** The text of a document in the last commit, from the Git extension of Visual Studio Code. */

import * as vscode from "vscode";

/** What is used of the interface of `vscode.git`, version 1. */
interface Git {
  getRepository(uri: vscode.Uri): Repository | null;
}

interface Repository {
  readonly state: { readonly HEAD?: { readonly commit?: string } | undefined };
  show(ref: string, path: string): Promise<string>;
}

/** Remembers one text: the status bar asks again after each edit. */
export class CommittedTexts {
  private last: { readonly key: string; readonly text: Promise<string | undefined> } | undefined;

  /** The text of a file in `HEAD`; undefined outside of a repository, and for a new file. */
  async of(document: vscode.TextDocument): Promise<string | undefined> {
    const repository = document.uri.scheme === "file" ? await repositoryOf(document.uri) : null;
    const commit = repository?.state.HEAD?.commit;
    if (!repository || !commit) {
      return undefined;
    }
    const key = `${commit} ${document.uri.toString()}`;
    if (this.last?.key !== key) {
      const text = repository.show(commit, document.uri.fsPath).catch(() => undefined);
      this.last = { key, text };
    }
    return this.last.text;
  }
}

async function repositoryOf(uri: vscode.Uri): Promise<Repository | null> {
  try {
    const extension = vscode.extensions.getExtension<{ getAPI(version: 1): Git }>("vscode.git");
    const git = await extension?.activate();
    return git?.getAPI(1).getRepository(uri) ?? null;
  } catch {
    return null; // Git is not installed, or is turned off
  }
}
