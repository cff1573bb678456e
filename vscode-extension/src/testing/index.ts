/** Kernel tests in the test explorer, and coverage of kernels in the editor. */

import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { RunArguments } from "../commands/runArguments";
import { command } from "../commands/register";
import { requestOf, runTask } from "../commands/run";
import { nameOf } from "../commands/subject";
import type { Part, Parts } from "../parts";
import { debugReplay } from "./debugFailure";
import { newFolder, removeFolder } from "./events";
import { KernelCoverage, readLcov } from "./lcov";
import { all, TestRuns } from "./runs";
import { FILES, TestTree } from "./tree";

/** What menus of failures give. */
type At = { readonly test?: vscode.TestItem } | undefined;

const { Run, Debug, Coverage } = vscode.TestRunProfileKind;
const TEST_FILE = /(^|[\\/])(test_[^\\/]*|[^\\/]*_test)\.py$/;

export const registerTesting: Part = (parts) => {
  const controller = vscode.tests.createTestController("ipu.kernelTests", "Kernel tests");
  const tree = new TestTree(parts, controller);
  const runs = new TestRuns(parts, controller, tree);
  controller.resolveHandler = (item) => (item ? undefined : trusted(() => tree.findAll()));
  controller.refreshHandler = () => trusted(() => tree.findAll());
  const run = (request: vscode.TestRunRequest, token: vscode.CancellationToken) =>
    runs.run(request, token);
  controller.createRunProfile("Run", Run, run, true);
  controller.createRunProfile("Debug kernel", Debug, async (request, token) => {
    await runs.run(request, token);
    await debugFailed(runs, request.include ?? all(controller.items));
  });
  const coverage = controller.createRunProfile("Run with coverage of kernels", Coverage, run);
  coverage.loadDetailedCoverage = async (_, file) =>
    file instanceof KernelCoverage ? [...file.lines] : [];
  const cover = (file: unknown, given: unknown) =>
    coverKernel(parts, controller, coverage, file, given);
  const debug = (at: At) => debugFailed(runs, at?.test ? [at.test] : []);
  return [
    controller,
    runs,
    ...watched(tree),
    command("ipu.coverKernel", cover),
    command("ipu.debugFailedTest", (at) => debug(at as At)),
  ];
};

/** Files of tests that are opened, saved, made or removed. */
function watched(tree: TestTree): vscode.Disposable[] {
  const find = (file: vscode.Uri) => {
    if (file.scheme === "file" && TEST_FILE.test(file.fsPath)) {
      void trusted(() => tree.find([file]));
    }
  };
  const files = vscode.workspace.createFileSystemWatcher(FILES);
  vscode.workspace.textDocuments.forEach(({ uri }) => find(uri));
  return [
    files,
    files.onDidChange(find),
    files.onDidCreate(find),
    files.onDidDelete((file) => tree.forget(file.toString())),
    vscode.workspace.onDidOpenTextDocument(({ uri }) => find(uri)),
  ];
}

/** Finding tests imports them: not before the workspace is trusted. */
async function trusted(work: () => Promise<void>): Promise<void> {
  if (vscode.workspace.isTrusted) {
    await work();
  }
}

async function debugFailed(runs: TestRuns, items: readonly vscode.TestItem[]): Promise<boolean> {
  const found = items.flatMap(withBelow).map((item) => runs.replay(item));
  const replay = found.find((each) => each !== undefined);
  if (!replay) {
    const why = "There is no failed run of this test that the debugger could repeat.";
    void vscode.window.showInformationMessage(why);
    return false;
  }
  return debugReplay(replay);
}

function withBelow(item: vscode.TestItem): vscode.TestItem[] {
  const found = [item];
  item.children.forEach((child) => found.push(...withBelow(child)));
  return found;
}

/** Run a kernel, and mark in the editor what it has executed; the number of files with marks. */
async function coverKernel(
  parts: Parts,
  controller: vscode.TestController,
  profile: vscode.TestRunProfile,
  file: unknown,
  given: unknown,
): Promise<number | undefined> {
  const remembered = new RunArguments(parts.context.workspaceState);
  const request = await requestOf(parts.server, remembered, file, given, "Run with coverage");
  if (!request) {
    return undefined;
  }
  const folder = await newFolder();
  try {
    const lcov = join(folder, "kernel.info");
    await runTask(parts, request, ["--coverage", lcov], "cover");
    const covered = await readLcov(lcov, dirname(request.program.fsPath));
    if (!covered.length) {
      const name = nameOf(request.program);
      throw new Error(`There is no coverage of ${name}: the terminal says why it was not run.`);
    }
    const asked = new vscode.TestRunRequest([], undefined, profile);
    const run = controller.createTestRun(asked, nameOf(request.program), false);
    covered.forEach((each) => run.addCoverage(each));
    run.end();
    return covered.length;
  } finally {
    await removeFolder(folder);
  }
}

