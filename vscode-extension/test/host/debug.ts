/** From F5 to a machine that stands. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { dynamicConfigurations } from "../../src/debug/dynamic";
import { ended, KERNEL, lastReason, started, stops, value } from "./debugSessions";
import { workspace } from "./extension";
import { opened, read, type } from "./steps";
import { suite } from "./suite";

export const run = suite({
  "F5 without a launch.json debugs the kernel in the editor": async () => {
    await opened("kernel.s", KERNEL);
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.equal(session.configuration.program, workspace("kernel.s").fsPath);
    assert.equal(session.configuration.cwd, folder().uri.fsPath);
    assert.equal(await value(session, "lr1"), "2 was 0");
    await ended();
  },

  "F5 saves the kernel first": async () => {
    await opened("kernel.s", KERNEL);
    await type("set lr9 7;;\n");
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.match(await read("kernel.s"), /^set lr9 7;;/);
    assert.equal(await value(session, "lr9"), "7 was 0");
    await ended();
  },

  "the button of the editor debugs its kernel, which may have changed": async () => {
    await opened("other.s", "bkpt;;\n");
    await opened("kernel.s", KERNEL);
    const session = await started(() => debugKernel("other.s"));
    assert.equal(session.configuration.program, workspace("other.s").fsPath);
    assert.equal(await value(session, "cycle"), "1 was 0");
    await ended();
  },

  "configurations are offered without a launch.json, and can be started": async () => {
    await opened("kernel.s", KERNEL);
    const offered = (await dynamicConfigurations.provideDebugConfigurations?.(folder())) ?? [];
    assert.deepEqual(
      offered.map(({ name }) => name),
      ["Run this kernel", "Run this kernel, stop on entry"],
    );
    const reasons: (string | undefined)[] = [];
    for (const configuration of offered) {
      await started(() => vscode.debug.startDebugging(folder(), configuration));
      reasons.push(lastReason());
      await ended();
    }
    assert.deepEqual(reasons, ["breakpoint", "entry"]);
  },

  "what cannot be debugged starts nothing": async () => {
    const before = stops();
    const nameless = { type: "ipu", request: "launch", name: "nothing" };
    assert.equal(await vscode.debug.startDebugging(folder(), nameless), false);
    await vscode.workspace.fs.writeFile(workspace("notes.txt"), Buffer.from("no kernel"));
    assert.equal(await debugKernel("notes.txt"), false);
    assert.equal(vscode.debug.activeDebugSession, undefined);
    assert.equal(stops(), before);
  },
});

const START = "workbench.action.debug.start";

function folder(): vscode.WorkspaceFolder {
  const found = vscode.workspace.workspaceFolders?.[0];
  assert.ok(found);
  return found;
}

function debugKernel(name: string): Thenable<unknown> {
  return vscode.commands.executeCommand("ipu.debugKernel", workspace(name));
}
