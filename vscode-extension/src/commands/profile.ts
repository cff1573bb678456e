/** Runs a program with a profile, and shows the report. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { Parts } from "../parts";
import { requestOf, runTask } from "./run";
import type { RunArguments } from "./runArguments";
import { nameOf } from "./subject";

interface Report {
  readonly panel: vscode.WebviewPanel;
  text: string;
}

/** The reports that are open, one for each program. */
export class ProfileReports implements vscode.Disposable {
  private readonly reports = new Map<string, Report>();
  private readonly listener = vscode.window.onDidChangeActiveColorTheme(() => this.redraw());

  constructor(
    private readonly parts: Parts,
    private readonly remembered: RunArguments,
  ) {}

  /** Ask for arguments, run, and open the report; the address of the report. */
  async profile(file: unknown, given: unknown): Promise<vscode.Uri | undefined> {
    const request = await requestOf(this.parts.server, this.remembered, file, given, "Profile");
    if (!request) {
      return undefined;
    }
    const place = await this.placeFor(request.program);
    await vscode.workspace.fs.delete(place).then(undefined, () => undefined);
    await runTask(this.parts, request, ["--profile", place.fsPath], "profile");
    const text = await readOrNothing(place);
    if (text === undefined) {
      const name = nameOf(request.program);
      throw new Error(`There is no profile of ${name}: the terminal says why it was not run.`);
    }
    this.show(request.program, text);
    return place;
  }

  dispose(): void {
    this.listener.dispose();
    this.reports.forEach(({ panel }) => panel.dispose());
  }

  /** A file of our own for each program: the folder of the program stays as it is. */
  private async placeFor(program: vscode.Uri): Promise<vscode.Uri> {
    const { context } = this.parts;
    const folder = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "profiles");
    await vscode.workspace.fs.createDirectory(folder);
    const key = createHash("sha256").update(program.toString()).digest("hex").slice(0, 16);
    return vscode.Uri.joinPath(folder, `${key}.html`);
  }

  private show(program: vscode.Uri, text: string): void {
    const key = program.toString();
    const report = this.reports.get(key) ?? { panel: this.newPanel(program), text };
    report.text = text;
    this.reports.set(key, report);
    this.redraw();
    report.panel.reveal(undefined, true);
  }

  private newPanel(program: vscode.Uri): vscode.WebviewPanel {
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const options = { enableFindWidget: true, localResourceRoots: [] };
    const title = `Profile: ${nameOf(program)}`;
    const panel = vscode.window.createWebviewPanel("ipu.profile", title, where, options);
    const media = vscode.Uri.joinPath(this.parts.context.extensionUri, "media");
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, "profile-light.svg"),
      dark: vscode.Uri.joinPath(media, "profile-dark.svg"),
    };
    panel.onDidDispose(() => this.reports.delete(program.toString()));
    return panel;
  }

  private redraw(): void {
    const { kind } = vscode.window.activeColorTheme;
    for (const { panel, text } of this.reports.values()) {
      panel.webview.html = dressed(text, kind);
    }
  }
}

async function readOrNothing(file: vscode.Uri): Promise<string | undefined> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
  } catch {
    return undefined;
  }
}

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
