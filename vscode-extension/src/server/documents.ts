/** Which documents are ours. */

import type * as vscode from "vscode";
import { OBJECT_SCHEME } from "../listing/objects";

/** Documents in an assembly language of the extension: on disk, not saved yet, of an object. */
export function ourDocuments(
  extension: vscode.Extension<unknown>,
): { scheme: string; language: string }[] {
  const languages: { id: string }[] = extension.packageJSON.contributes.languages;
  const assembly = languages.map(({ id }) => id).filter((id) => id.endsWith("-asm"));
  return assembly.flatMap((language) =>
    ["file", "untitled", OBJECT_SCHEME].map((scheme) => ({ scheme, language })),
  );
}
