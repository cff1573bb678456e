/** The report of a profile as it is shown in the editor. */

import * as vscode from "vscode";

/** The report has its style in it and needs nothing else: it may load nothing and run nothing. */
const POLICY =
  `<meta http-equiv="Content-Security-Policy" ` +
  `content="default-src 'none'; style-src 'unsafe-inline'">`;

/** Its colours, as far as the editor has names for them. */
const COLOURS = `<style>
html:root {
  --paper: var(--vscode-editor-background); --ink: var(--vscode-editor-foreground);
  --faint: var(--vscode-descriptionForeground);
  --panel: color-mix(in srgb, var(--vscode-foreground) 7%, transparent);
  --line: var(--vscode-editorGroup-border, var(--vscode-contrastBorder, #8884));
  --bar: var(--vscode-charts-blue); --idle: var(--vscode-editorWarning-foreground);
  --error: var(--vscode-errorForeground); --warning: var(--vscode-editorWarning-foreground);
}
.card { border: 1px solid var(--vscode-contrastBorder, transparent); }
code { padding: 0; color: inherit; background: none; }
</style>`;

/** What a browser says about the colours of the system the editor knows better about itself. */
const DARK = "@media (prefers-color-scheme: dark)";

/** A report under a strict policy, in the colours of the editor. */
export function dressed(report: string, kind: vscode.ColorThemeKind): string {
  const { Light, HighContrastLight } = vscode.ColorThemeKind;
  const isLight = kind === Light || kind === HighContrastLight;
  return report
    .replace("<head>", () => `<head>\n${POLICY}`)
    .replace(DARK, isLight ? "@media not all" : "@media all")
    .replace("color-scheme: light dark", `color-scheme: ${isLight ? "light" : "dark"}`)
    .replace("</head>", () => `${COLOURS}\n</head>`);
}
