/** Runs of kernel tests: results at their places, coverage, and the debugger after a failure. */

import { join } from "node:path";
import * as vscode from "vscode";
import { messageOf, type Parts } from "../parts";
import { complaint, type Event, newFolder, pytest, removeFolder, type Replay } from "./events";
import { readLcov } from "./lcov";
import type { TestTree } from "./tree";

type Ended = Extract<Event, { event: "ended" }>;

/** The mark of messages whose run can be repeated in the debugger, for menus. */
export const REPLAY = "ipuReplay";

/** Runs tests with pytest. */
export class TestRuns implements vscode.Disposable {
  /** How to repeat the last failure of a test, by the id of its item. */
  private readonly replays = new Map<string, Replay>();
  private readonly folders: string[] = [];

  constructor(
    private readonly parts: Parts,
    private readonly controller: vscode.TestController,
    private readonly tree: TestTree,
  ) {}

  /** How to repeat the last failure of a test. */
  replay(item: vscode.TestItem): Replay | undefined {
    return this.replays.get(item.id);
  }

  /** Run the tests of a request, with coverage where its profile has that. */
  async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const withCoverage = request.profile?.kind === vscode.TestRunProfileKind.Coverage;
    try {
      for (const [folder, items] of this.byFolder(request)) {
        await this.runIn(folder, items, request.exclude ?? [], run, withCoverage, token);
      }
    } catch (error) {
      const text = messageOf(error);
      leaves(request.include ?? all(this.controller.items)).forEach((item) =>
        run.errored(item, new vscode.TestMessage(text)),
      );
    } finally {
      run.end();
    }
  }

  dispose(): void {
    this.folders.forEach((folder) => void removeFolder(folder));
  }

  private byFolder(request: vscode.TestRunRequest) {
    const folders = new Map<vscode.WorkspaceFolder, vscode.TestItem[]>();
    for (const item of request.include ?? all(this.controller.items)) {
      const folder = item.uri && vscode.workspace.getWorkspaceFolder(item.uri);
      if (folder) {
        folders.set(folder, [...(folders.get(folder) ?? []), item]);
      }
    }
    return folders;
  }

  private async runIn(
    folder: vscode.WorkspaceFolder,
    items: readonly vscode.TestItem[],
    excluded: readonly vscode.TestItem[],
    run: vscode.TestRun,
    withCoverage: boolean,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const temporary = await newFolder();
    // It may have the memory of a failed run, which is needed while that can be repeated.
    this.folders.push(temporary);
    const waiting = new Set(leaves(items).filter((item) => !isBelow(item, excluded)));
    waiting.forEach((item) => run.enqueued(item));
    let root = folder.uri.fsPath;
    const told = (event: Event) => {
      const item = "id" in event ? this.tree.item(event.id) : undefined;
      if (event.event === "session") {
        root = event.root;
      } else if (event.event === "started" && item) {
        run.started(item);
      } else if (event.event === "ended" && item) {
        waiting.delete(item);
        this.show(run, item, event);
      }
    };
    const lcov = join(temporary, "kernels.info");
    const deselected = excluded.flatMap((item) => leaves([item]));
    const args = [
      ...(withCoverage ? ["--ipu-cov-report=term", `--ipu-cov-report=lcov:${lcov}`] : []),
      ...deselected.map((item) => `--deselect=${this.tree.id(item)}`),
      "--color=yes",
      ...items.map((item) => this.tree.argument(item)),
    ];
    const print = (text: string) => run.appendOutput(text.replace(/\r?\n/g, "\r\n"));
    const ended = await pytest(this.parts, folder.uri, temporary, args, told, print, token);
    const { command } = await this.parts.toolchain.commandLine("python", folder.uri);
    const problem = complaint(ended, command);
    for (const item of waiting) {
      if (problem && !token.isCancellationRequested) {
        run.errored(item, new vscode.TestMessage(problem));
      } else {
        run.skipped(item);
      }
    }
    for (const covered of await readLcov(lcov, root)) {
      run.addCoverage(covered);
    }
  }

  private show(run: vscode.TestRun, item: vscode.TestItem, event: Ended): void {
    const milliseconds = event.seconds * 1000;
    this.replays.delete(item.id);
    if (event.outcome === "passed") {
      run.passed(item, milliseconds);
    } else if (event.outcome === "skipped") {
      run.skipped(item);
    } else {
      if (event.replay) {
        this.replays.set(item.id, event.replay);
      }
      run.failed(item, messagesOf(event), milliseconds);
    }
  }
}

function messagesOf({ messages, replay, output }: Ended): vscode.TestMessage[] {
  const made = messages.map(({ text, file, line }) => {
    const message = new vscode.TestMessage(text);
    message.location = new vscode.Location(
      vscode.Uri.file(file),
      new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER),
    );
    message.contextValue = replay ? REPLAY : undefined;
    return message;
  });
  return made.length ? made : [new vscode.TestMessage(output)];
}

/** The items without children among some items and what is below them. */
function leaves(items: readonly vscode.TestItem[]): vscode.TestItem[] {
  return items.flatMap((item) => (item.children.size ? leaves(all(item.children)) : [item]));
}

/** The items of a collection. */
export function all(items: vscode.TestItemCollection): vscode.TestItem[] {
  const found: vscode.TestItem[] = [];
  items.forEach((item) => found.push(item));
  return found;
}

function isBelow(item: vscode.TestItem | undefined, some: readonly vscode.TestItem[]): boolean {
  return item !== undefined && (some.includes(item) || isBelow(item.parent, some));
}
