/** In a workspace that is not trusted a kernel can be written, but nothing is started. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { extension, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "nothing is run": async () => {
    await extension();
    for (const name of ["assembleFile", "runKernel", "profileKernel", "openReference"]) {
      const given = { format: "hex", output: workspace("made.hex") };
      const made = await vscode.commands.executeCommand(`ipu.${name}`, workspace("loop.s"), given);
      assert.equal(made, undefined, name);
    }
    const names = await vscode.workspace.fs.readDirectory(workspace(""));
    assert.ok(!names.some(([name]) => name === "made.hex" || name === "executed"));
  },

  "a new kernel can be made": async () => {
    const choice = { template: "empty.s", output: workspace("new.s") };
    await vscode.commands.executeCommand("ipu.newKernel", undefined, choice);
    const text = vscode.window.activeTextEditor?.document.getText() ?? "";
    assert.match(text, /^# new\.s: /);
  },
});
