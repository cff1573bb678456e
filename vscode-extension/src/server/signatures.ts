/** Gives a file the language of its content where the editor goes by a shared extension. */

import * as vscode from "vscode";
import { SIGNATURES } from "../languages";

/** As much of a file as is searched. */
const SEARCHED = 100_000;

/**
 * The editor ignores the case of extensions, so `.S` opens in the language of `.s`. A file is given
 * another language once while it is open: who then chooses a language by hand keeps it.
 */
export function registerSignatures(context: vscode.ExtensionContext): void {
  const seen = new Set<string>();
  const look = async (document: vscode.TextDocument) => {
    const key = document.uri.toString();
    const language = seen.has(key) ? undefined : languageBySignature(document);
    if (language && language !== document.languageId && !isAssociated(document)) {
      seen.add(key);
      // It fails for a document that was closed meanwhile.
      await vscode.languages.setTextDocumentLanguage(document, language).then(null, () => undefined);
    }
  };
  // A change of the language closes a document, too, and opens it again at once.
  const forget = ({ uri }: vscode.TextDocument) => {
    queueMicrotask(() => {
      const key = uri.toString();
      if (!vscode.workspace.textDocuments.some((open) => open.uri.toString() === key)) {
        seen.delete(key);
      }
    });
  };
  context.subscriptions.push(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidCloseTextDocument(forget),
  );
  vscode.workspace.textDocuments.forEach((document) => void look(document));
}

/** The language whose extension, in this case, and whose signature a document has. */
function languageBySignature(document: vscode.TextDocument): string | undefined {
  const { path } = document.uri;
  const found = SIGNATURES.find(({ extensions }) => extensions.some((each) => path.endsWith(each)));
  const text = found && document.getText().slice(0, SEARCHED);
  return text && found.signature.test(text) ? found.language : undefined;
}

/** Whether the user's settings name the extension of a document. */
function isAssociated({ uri }: vscode.TextDocument): boolean {
  const extension = uri.path.slice(uri.path.lastIndexOf("."));
  const associations = vscode.workspace.getConfiguration("files", uri).get("associations", {});
  return Object.keys(associations).some((glob) => glob.endsWith(extension));
}
