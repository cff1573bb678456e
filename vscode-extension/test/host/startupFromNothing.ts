/** Nothing is installed but a Python: the extension makes an environment of its own. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { extension, findings, open, soon, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "findings come from an environment that the extension has made": async () => {
    await open("mistaken.s");
    const { server } = await extension();
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
    assert.equal(server.origin, "a private environment of the extension");
    assert.match(server.command ?? "", /globalStorage/);
  },

  "without a package index the debugger is refused and the server runs on": async () => {
    const { server } = await extension();
    const started = await vscode.debug.startDebugging(undefined, {
      type: "ipu",
      request: "launch",
      name: "test",
      program: workspace("mistaken.s").fsPath,
    });
    assert.equal(started, false);
    assert.equal(server.state, "running");
  },

  "nothing that lies in the workspace is imported": async () => {
    assert.ok(!existsSync(workspace("executed").fsPath));
  },
});
