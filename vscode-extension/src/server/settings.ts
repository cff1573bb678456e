/** What the language server is told of the user's settings. */

import * as vscode from "vscode";

type Section = { [key: string]: unknown };

/** Settings of views of this editor, which no file of a project decides: their defaults are told, too. */
const OF_VIEWS: readonly string[] = ["ipu.listing.words"];

/**
 * The settings under `ipu` that somebody has set. Defaults are left out: where the editor says
 * nothing, the files of the project decide.
 */
export function explicitSettings(extension: vscode.Extension<unknown>): Section {
  const section: Section = {};
  for (const key of contributed(extension)) {
    const value = explicitValue(key);
    if (value !== undefined) {
      place(section, key.split(".").slice(1), value);
    }
  }
  return section;
}

function contributed(extension: vscode.Extension<unknown>): string[] {
  return Object.keys(extension.packageJSON.contributes.configuration.properties);
}

function explicitValue(key: string): unknown {
  const found = vscode.workspace.getConfiguration().inspect(key);
  const given = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
  return given ?? (OF_VIEWS.includes(key) ? found?.defaultValue : undefined);
}

function place(section: Section, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) {
    return;
  }
  if (rest.length === 0) {
    section[name] = value;
    return;
  }
  place((section[name] ??= {}) as Section, rest, value);
}
