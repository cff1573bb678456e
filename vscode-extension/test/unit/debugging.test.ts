/** Launch configurations that are kept, and the debugger after a failed test. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as vscode from "vscode";
import { saveLaunch } from "../../src/commands/launchFile";
import { NONE } from "../../src/commands/runArguments";
import { debugReplay } from "../../src/testing/debugFailure";
import { editor } from "./vscode";

const LAUNCH = { launch: { program: "/work/kernel.s" }, cycle: 7 };

test("a kept launch takes none of the user's into the folder", async () => {
  editor.inspected = {
    globalValue: [{ type: "node", name: "the user's" }],
    workspaceFolderValue: [{ type: "ipu", name: "the folder's" }],
  };
  assert.ok(await saveLaunch(vscode.Uri.file("/work/kernel.s"), NONE));
  const [[section, configurations]] = editor.updates as [[string, { name: string }[]]];
  assert.equal(section, "configurations");
  assert.deepEqual(configurations.map(({ name }) => name), ["the folder's", "kernel.s"]);
});

test("a failed test whose debugger ends before it stops is not waited for", async () => {
  editor.startDebugging = ({ name }) => {
    const [factory] = editor.trackers;
    const tracker = factory?.createDebugAdapterTracker({ name }) as vscode.DebugAdapterTracker;
    tracker.onExit?.(1, undefined);
    return true;
  };
  assert.equal(await debugReplay(LAUNCH), true);
  assert.deepEqual(editor.trackers, []);
});

test("a debugger that does not start leaves no tracker", async () => {
  editor.startDebugging = () => false;
  assert.equal(await debugReplay(LAUNCH), false);
  assert.deepEqual(editor.trackers, []);
});
