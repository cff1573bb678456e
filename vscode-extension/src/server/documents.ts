/** Which documents are ours. */

import type * as vscode from "vscode";

/** Documents in an assembly language of the extension, on disk or not saved yet. */
export function ourDocuments(
  extension: vscode.Extension<unknown>,
): { scheme: string; language: string }[] {
  const languages: { id: string }[] = extension.packageJSON.contributes.languages;
  const assembly = languages.map(({ id }) => id).filter((id) => id.endsWith("-asm"));
  return assembly.flatMap((language) =>
    ["file", "untitled"].map((scheme) => ({ scheme, language })),
  );
}
