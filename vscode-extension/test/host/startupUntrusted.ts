/** A workspace that is not trusted, whose settings name a program of its own. */

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import * as vscode from "vscode";
import { extension, soon, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "the server is not started": async () => {
    const { server } = await extension();
    assert.equal(vscode.workspace.isTrusted, false);
    await soon(() => server.state, (state) => state === "untrusted");
    assert.equal(server.processId, undefined);
  },

  "opening a kernel starts nothing either": async () => {
    const { server } = await extension();
    await vscode.window.showTextDocument(workspace("mistaken.s"));
    await assert.rejects(server.request("ipu/slotGrid", {}), /not trusted/);
    assert.equal(server.processId, undefined);
  },

  "a restart changes nothing": async () => {
    const { server } = await extension();
    await vscode.commands.executeCommand("ipu.restartServer");
    await soon(() => server.state, (state) => state === "untrusted");
    assert.equal(server.processId, undefined);
  },

  "no environment is made, and no program of the workspace has run": async () => {
    const storage = process.env.IPU_TEST_STORAGE ?? "";
    assert.ok(storage);
    assert.deepEqual(existsSync(storage) ? readdirSync(storage) : [], []);
    assert.ok(!existsSync(workspace("executed").fsPath));
  },
});
