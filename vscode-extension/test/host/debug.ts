/** From F5 to a machine that stands. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { dynamicConfigurations } from "../../src/debug/dynamic";
import { ended, lastReason, started, stops, value } from "./debugSessions";
import { open, soon, workspace } from "./extension";
import { suite } from "./suite";

const KERNEL = `# lr1 = row
set lr5 2; ldr_mult_reg r0 lr1 cr0;;
loop:
  incr lr1 1; mult.ee r0 lr0 lr0 lr0; acc;;
  blt lr1 lr5 loop;;
bkpt;;
`;

export const run = suite({
  "F5 without a launch.json debugs the kernel in the editor": async () => {
    await written("kernel.s", KERNEL);
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.equal(session.configuration.program, workspace("kernel.s").fsPath);
    assert.equal(session.configuration.cwd, folder().uri.fsPath);
    assert.equal(await value(session, "lr1"), "2 was 0");
    await ended();
  },

  "F5 saves the kernel first": async () => {
    await written("kernel.s", KERNEL);
    await insert("set lr9 7;;\n");
    const session = await started(() => vscode.commands.executeCommand(START));
    assert.match(await read("kernel.s"), /^set lr9 7;;/);
    assert.equal(await value(session, "lr9"), "7 was 0");
    await ended();
  },

  "the button of the editor debugs its kernel, which may have changed": async () => {
    await written("other.s", "bkpt;;\n");
    await written("kernel.s", KERNEL);
    const session = await started(() => debugKernel("other.s"));
    assert.equal(session.configuration.program, workspace("other.s").fsPath);
    assert.equal(await value(session, "cycle"), "1 was 0");
    await ended();
  },

  "configurations are offered without a launch.json, and can be started": async () => {
    await written("kernel.s", KERNEL);
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

async function written(name: string, text: string): Promise<vscode.TextDocument> {
  await vscode.workspace.fs.writeFile(workspace(name), Buffer.from(text));
  await open(name);
  const document = vscode.window.activeTextEditor?.document;
  assert.ok(document);
  await soon(() => document.getText(), (now) => now === text);
  return document;
}

async function read(name: string): Promise<string> {
  return Buffer.from(await vscode.workspace.fs.readFile(workspace(name))).toString();
}

/** Type at the beginning of the active editor. */
async function insert(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  assert.ok(await editor?.edit((edit) => edit.insert(new vscode.Position(0, 0), text)));
}
