/** Objects and executables: opening one shows its annotated assembly, which cannot be edited. */

import * as vscode from "vscode";
import { nameOf } from "../commands/subject";
import { messageOf, type Parts } from "../parts";

/** The scheme of documents with the assembly of an object, which is their query. */
export const OBJECT_SCHEME = "ipu-object";

const EDITOR = "ipu.object";

interface Disassembly {
  readonly text: string;
  /** The language of the text; null where there is none. */
  readonly language: string | null;
  /** Why there is no text. */
  readonly message: string;
}

export function registerObjects({ server }: Parts): vscode.Disposable[] {
  const disassembly = async (uri: vscode.Uri): Promise<Disassembly> => {
    const textDocument = { uri: uri.toString() };
    try {
      return await server.request<Disassembly>("ipu/disassembly", { textDocument });
    } catch (error) {
      return { text: "", language: null, message: messageOf(error) };
    }
  };
  const content: vscode.TextDocumentContentProvider = {
    provideTextDocumentContent: async (uri) => {
      const { text, message } = await disassembly(vscode.Uri.parse(uri.query, true));
      return text || `// ${message}\n`;
    },
  };
  /** The editor of an object makes room for that of its assembly. */
  const editor: vscode.CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose: () => undefined }),
    resolveCustomEditor: async ({ uri }, panel) => {
      const { language, message } = await disassembly(uri);
      if (!language) {
        panel.webview.html = `<p>${message.replace(/&/g, "&amp;").replace(/</g, "&lt;")}</p>`;
        return;
      }
      const path = `/${nameOf(uri)} (assembly)`;
      const assembly = vscode.Uri.from({ scheme: OBJECT_SCHEME, path, query: uri.toString() });
      const opened = await vscode.workspace.openTextDocument(assembly);
      const shown = await vscode.languages.setTextDocumentLanguage(opened, language);
      const { viewColumn } = panel;
      panel.dispose();
      await vscode.window.showTextDocument(shown, { viewColumn, preview: false });
    },
  };
  return [
    vscode.workspace.registerTextDocumentContentProvider(OBJECT_SCHEME, content),
    vscode.window.registerCustomEditorProvider(EDITOR, editor),
  ];
}
