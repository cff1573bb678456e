/** From F5 to a machine that stands. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { dynamicConfigurations } from "../../src/debug";
import { ended, KERNEL, lastReason, started, stops, value } from "./debugSessions";
import { runs, workspace } from "./extension";
import { opened, read, type, written } from "./steps";
import { suite } from "./suite";

export const run = suite({
  "F5 without a launch.json debugs the kernel in the editor": async () => {
    await opened("kernel.s", KERNEL);
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.equal(session.configuration.program, workspace("kernel.s").fsPath);
    assert.equal(session.configuration.cwd, folder().uri.fsPath);
    assert.equal(await value(session, "lr1"), "2");
    await ended();
  },

  "F5 takes the inputs of the last run, and those of ipu.toml before any": async () => {
    await opened("fed.s", KERNEL);
    await written("ipu.toml", '[kernel."fed.s".run]\ncr = {4 = 5}\n');
    const first = await started(() => vscode.commands.executeCommand(START));
    assert.equal(await value(first, "cr4"), "5");
    await ended();
    await vscode.commands.executeCommand("ipu.runKernel", workspace("fed.s"), { cr: ["4=9"] });
    const second = await started(() => vscode.commands.executeCommand(START));
    assert.equal(await value(second, "cr4"), "9");
    assert.equal(second.configuration.lastInputs, undefined);
    await ended();
    await vscode.commands.executeCommand("ipu.runKernel", workspace("fed.s"), { cr: [] });
    await vscode.workspace.fs.delete(workspace("ipu.toml"));
  },

  "F5 takes what the head comment says where nothing else does": async () => {
    const head = "# cr1 = IN_BASE\n# Memory\n#   0x2000  128 bytes  in\n";
    await opened("headed.s", `${head}set lr0 0;;\nldr_mult_reg r0 lr0 cr1;;\nbkpt;;\n`);
    await runs();
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.match(await value(session, "cr1"), /^0x2000\b/);
    assert.deepEqual(session.configuration.load, [
      { file: "random:1", address: "0x2000", length: "128" },
    ]);
    await ended();
  },

  "Ctrl+F5 without a launch.json runs the kernel in the editor and stops nowhere": async () => {
    await opened("kernel.s", KERNEL);
    await ended();
    const before = stops();
    const run = new Promise<vscode.DebugSession>((resolve) => {
      vscode.debug.onDidTerminateDebugSession(resolve);
    });
    await vscode.commands.executeCommand("workbench.action.debug.run");
    const { configuration } = await run;
    assert.equal(configuration.program, workspace("kernel.s").fsPath);
    assert.equal(configuration.noDebug, true);
    assert.equal(stops(), before);
  },

  "F5 saves the kernel first": async () => {
    await opened("kernel.s", KERNEL);
    await type("set lr9 7;;\n");
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.match(await read("kernel.s"), /^set lr9 7;;/);
    assert.equal(await value(session, "lr9"), "7");
    await ended();
  },

  "the button of the editor debugs its kernel, which may have changed": async () => {
    await opened("other.s", "bkpt;;\n");
    await opened("kernel.s", KERNEL);
    const session = await started(() => debugKernel("other.s"));
    assert.equal(session.configuration.program, workspace("other.s").fsPath);
    assert.equal(await value(session, "cycle"), "1");
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
