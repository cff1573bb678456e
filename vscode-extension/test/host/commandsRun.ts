/** Runs and profiles of programs, with their arguments given instead of asked for. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { command, HALTING, read, tabs, type, written } from "./steps";
import { findings, open, soon, workspace } from "./extension";
import { suite } from "./suite";

const ENDLESS = "here: b here;;\n";
const TEMPLATES = ["empty.s", "load_store.s", "elementwise.s", "fully_connected.s"];

export const run = suite({
  "a run ends as ipu-run ends": async () => {
    await written("kernel.s", HALTING);
    await written("endless.s", ENDLESS);
    assert.equal(await command("runKernel", "kernel.s", {}), 0);
    assert.equal(await command("runKernel", "endless.s", { maxCycles: "1_000" }), 1);
    assert.equal(await command("runKernel", "kernel.s", { cr: ["77=1"] }), 2);
  },

  "a run saves the program first": async () => {
    await written("kernel.s", HALTING);
    await open("kernel.s");
    await type("foo;;\n");
    assert.equal(await command("runKernel", "kernel.s", { cr: [] }), 1);
    assert.match(await read("kernel.s"), /^foo;;/);
  },

  "the arguments of a program are remembered": async () => {
    const dump = [`${workspace("out.bin").fsPath}@0x100:512`];
    await written("other.s", HALTING);
    assert.equal(await command("runKernel", "other.s", { cr: ["1=0x100"], dump }), 0);
    await vscode.workspace.fs.delete(workspace("out.bin"));
    assert.equal(await command("runKernel", "other.s", {}), 0);
    assert.equal((await vscode.workspace.fs.readFile(workspace("out.bin"))).length, 512);
    assert.equal(await command("runKernel", "other.s", { cr: [], dump: [] }), 0);
  },

  "a profile is made and shown": async () => {
    await written("kernel.s", HALTING);
    const report = await command<vscode.Uri>("profileKernel", "kernel.s", {});
    const text = Buffer.from(await vscode.workspace.fs.readFile(report)).toString();
    assert.match(text, /<h1>kernel\.s<\/h1>/);
    await soon(tabs, (labels) => labels.includes("Profile: kernel.s"));
  },

  "a new kernel has its own name, no findings, and runs": async () => {
    for (const template of TEMPLATES) {
      const name = `my_${template}`;
      const choice = { template, output: workspace(name) };
      await vscode.commands.executeCommand("ipu.newKernel", undefined, choice);
      assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), `${workspace(name)}`);
      assert.match(await read(name), new RegExp(`^# my_${template}: `));
      assert.equal(await command("runKernel", name, {}), 0);
      assert.deepEqual(findings(name), []);
    }
  },
});
