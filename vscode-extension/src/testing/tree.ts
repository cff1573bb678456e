/** The kernel tests of a workspace, as the test explorer shows them. */

import { basename } from "node:path";
import * as vscode from "vscode";
import { complaint, type Event, newFolder, pytest, removeFolder } from "./events";
import { messageOf, type Parts, ToolchainError } from "../parts";

type Collected = Extract<Event, { event: "collected" }>;

/** Where tests are looked for. */
export const FILES = "**/{test_*,*_test}.py";
const LEFT_OUT = "**/{node_modules,.venv,venv,.git,.tox,build,dist}/**";
const MOST_FILES = 500;
const MENTION = /\bipu\b/;

/** Finds tests and keeps them; `pytest` alone knows what it collects. */
export class TestTree {
  /** The part of each item's id that pytest takes after the file. */
  private readonly inside = new WeakMap<vscode.TestItem, string>();
  /** Items by the ids that pytest tells. */
  private readonly byId = new Map<string, vscode.TestItem>();
  private readonly ids = new WeakMap<vscode.TestItem, string>();
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: Parts,
    private readonly controller: vscode.TestController,
  ) {}

  /** The item of a test, by pytest's id. */
  item(id: string): vscode.TestItem | undefined {
    return this.byId.get(id);
  }

  /** The id of a test as pytest tells it, by its item. */
  id(item: vscode.TestItem): string | undefined {
    return this.ids.get(item);
  }

  /** What selects an item on the command line of pytest. */
  argument(item: vscode.TestItem): string {
    const inside = this.inside.get(item);
    const file = item.uri?.fsPath ?? item.id;
    return inside ? `${file}::${inside}` : file;
  }

  /** Find the tests of all folders. */
  async findAll(): Promise<void> {
    const found = await vscode.workspace.findFiles(FILES, LEFT_OUT, MOST_FILES);
    const files = found.filter(({ scheme }) => scheme === "file");
    const known = new Set(files.map((file) => file.toString()));
    this.controller.items.forEach(({ id }) => known.has(id) || this.forget(id));
    await this.find(files);
  }

  /** Find the tests of some files again, one search after the other. */
  find(files: readonly vscode.Uri[]): Promise<void> {
    this.queue = this.queue.then(() => this.findNow(files)).catch((error: unknown) => {
      if (!(error instanceof ToolchainError)) {
        this.parts.log.error(`Kernel tests were not found: ${messageOf(error)}`);
      }
    });
    return this.queue;
  }

  /** A file is gone. */
  forget(id: string): void {
    this.controller.items.delete(id);
  }

  private async findNow(files: readonly vscode.Uri[]): Promise<void> {
    const folders = new Map<vscode.WorkspaceFolder, vscode.Uri[]>();
    for (const file of files) {
      const folder = vscode.workspace.getWorkspaceFolder(file);
      if (folder && (await mentions(file))) {
        folders.set(folder, [...(folders.get(folder) ?? []), file]);
      } else {
        this.forget(file.toString());
      }
    }
    for (const [folder, mentioning] of folders) {
      await this.collect(folder, mentioning);
    }
  }

  private async collect(folder: vscode.WorkspaceFolder, files: readonly vscode.Uri[]) {
    const collected: Collected[] = [];
    const errors = new Map<string, string>();
    const told = (event: Event) => {
      if (event.event === "collected") {
        collected.push(event);
      } else if (event.event === "error") {
        errors.set(event.file, event.message);
      }
    };
    const args = ["--collect-only", "-q", ...files.map((file) => file.fsPath)];
    const temporary = await newFolder();
    try {
      const ended = await pytest(this.parts, folder.uri, temporary, args, told, () => undefined);
      const { command } = await this.parts.toolchain.commandLine("python", folder.uri);
      const problem = collected.length || errors.size ? undefined : complaint(ended, command);
      if (problem) {
        this.parts.log.warn(problem);
      }
      for (const file of files) {
        const mine = collected.filter((each) => each.file === file.fsPath);
        this.show(file, mine, errors.get(file.fsPath) ?? problem);
      }
    } finally {
      await removeFolder(temporary);
    }
  }

  private show(file: vscode.Uri, collected: readonly Collected[], problem?: string): void {
    if (!collected.length && !problem) {
      this.forget(file.toString());
      return;
    }
    const root = this.controller.createTestItem(file.toString(), basename(file.fsPath), file);
    root.error = problem;
    for (const each of collected) {
      this.add(root, each);
    }
    this.controller.items.add(root);
  }

  /** Classes, functions and parameters of a test, one below the other. */
  private add(root: vscode.TestItem, { id, line, names }: Collected): void {
    const path = id.split("::").slice(1).join("::");
    const levels = [...names.slice(1)];
    const last = levels.pop() ?? path;
    const bracket = last.indexOf("[");
    levels.push(...(bracket > 0 ? [last.slice(0, bracket), last.slice(bracket)] : [last]));
    let item = root;
    let inside = "";
    for (const [number, name] of levels.entries()) {
      const isParameter = bracket > 0 && number === levels.length - 1;
      inside = isParameter ? `${inside}${name}` : inside ? `${inside}::${name}` : name;
      item = this.child(item, inside, name);
      item.range ??= new vscode.Range(line - 1, 0, line - 1, 0);
    }
    this.byId.set(id, item);
    this.ids.set(item, id);
  }

  private child(parent: vscode.TestItem, inside: string, label: string): vscode.TestItem {
    const id = `${parent.uri}::${inside}`;
    const known = parent.children.get(id);
    if (known) {
      return known;
    }
    const made = this.controller.createTestItem(id, label, parent.uri);
    this.inside.set(made, inside);
    parent.children.add(made);
    return made;
  }
}

/** Whether a file is about the fixture: others are not imported. */
async function mentions(file: vscode.Uri): Promise<boolean> {
  try {
    return MENTION.test(Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8"));
  } catch {
    return false;
  }
}
