/** Which documents are ours. */

import * as vscode from "vscode";
import { OBJECT_SCHEME } from "../listing/objects";

/** Documents in an assembly language of the extension: of files, not saved yet, of an object. */
export function ourDocuments(
  extension: vscode.Extension<unknown>,
): { scheme: string; language: string }[] {
  const languages: { id: string }[] = extension.packageJSON.contributes.languages;
  const assembly = languages.map(({ id }) => id).filter((id) => id.endsWith("-asm"));
  const folders = vscode.workspace.workspaceFolders ?? [];
  const schemes = new Set(["file", "untitled", OBJECT_SCHEME, ...folders.map(({ uri }) => uri.scheme)]);
  return assembly.flatMap((language) => [...schemes].map((scheme) => ({ scheme, language })));
}
