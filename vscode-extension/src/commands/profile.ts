/** Runs a program with a profile, shows the report, and marks the lines of the program. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { Parts } from "../parts";
import { BESIDE, iconOf } from "../slotGrid/shell";
import { type Mark, ProfileMarks } from "./profileMarks";
import { requestOf, runTask } from "./run";
import type { RunArguments } from "./runArguments";
import { nameOf } from "./subject";

/** The reports that are open, one for each program. */
export class ProfileReports implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>();
  private readonly marks = new ProfileMarks();

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
    const { program } = request;
    const { page, data } = await this.placesFor(program);
    const before = await readOrNothing(data);
    await vscode.workspace.fs.delete(page).then(undefined, () => undefined);
    const document = await vscode.workspace.openTextDocument(program);
    const text = document.getText();
    const options = [page, data].flatMap(({ fsPath }) => ["--profile", fsPath]);
    await runTask(this.parts, request, options, "profile");
    const report = await readOrNothing(page);
    if (report === undefined) {
      const name = nameOf(program);
      throw new Error(`There is no profile of ${name}: the terminal says why it was not run.`);
    }
    this.show(program, report);
    const profile = await readOrNothing(data);
    const { server } = this.parts;
    const { marks } = await server.request<{ marks: Mark[] }>("ipu/profileMarks", { profile, before });
    this.marks.show(program, text, marks);
    return page;
  }

  /** Hide the marks of profiles, or show them; where there are none yet, make a profile. */
  async toggleMarks(): Promise<void> {
    if (!this.marks.toggle()) {
      await this.profile(undefined, undefined);
    }
  }

  dispose(): void {
    this.marks.dispose();
    this.panels.forEach((panel) => panel.dispose());
  }

  /** Files of our own for each program: the folder of the program stays as it is. */
  private async placesFor(program: vscode.Uri): Promise<{ page: vscode.Uri; data: vscode.Uri }> {
    const { context } = this.parts;
    const folder = vscode.Uri.joinPath(context.storageUri ?? context.globalStorageUri, "profiles");
    await vscode.workspace.fs.createDirectory(folder);
    const key = createHash("sha256").update(program.toString()).digest("hex").slice(0, 16);
    const place = (extension: string) => vscode.Uri.joinPath(folder, `${key}.${extension}`);
    return { page: place("html"), data: place("json") };
  }

  private show(program: vscode.Uri, text: string): void {
    const key = program.toString();
    const panel = this.panels.get(key) ?? this.newPanel(program);
    this.panels.set(key, panel);
    panel.webview.html = text;
    panel.reveal(undefined, true);
  }

  private newPanel(program: vscode.Uri): vscode.WebviewPanel {
    const options = { enableFindWidget: true, localResourceRoots: [] };
    const title = `Profile: ${nameOf(program)}`;
    const panel = vscode.window.createWebviewPanel("ipu.profile", title, BESIDE, options);
    panel.iconPath = iconOf(this.parts.context, "profile");
    panel.onDidDispose(() => this.panels.delete(program.toString()));
    return panel;
  }
}

async function readOrNothing(file: vscode.Uri): Promise<string | undefined> {
  try {
    return Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
  } catch {
    return undefined;
  }
}
