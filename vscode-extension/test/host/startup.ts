/** Start-up with an interpreter that has ipu-asm: settings, wrong interpreters. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { extension, findings, open, runs, soon, workspace } from "./extension";
import { suite } from "./suite";

// Those who run these tests say which interpreter has ipu-asm, and which has not.
const PYTHON = process.env.IPU_TEST_PYTHON ?? "";
const BARE_PYTHON = process.env.IPU_TEST_BARE_PYTHON ?? "";

export const run = suite({
  "the server runs with the interpreter of the setting": async () => {
    const { server } = await extension();
    await runs();
    assert.equal(server.command, PYTHON);
    assert.equal(server.origin, "the setting ipu.interpreter");
  },

  "its findings are shown": async () => {
    await open("mistaken.s");
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
  },

  "the server gives the content of listings": async () => {
    const listing = vscode.Uri.from({
      scheme: "ipu-listing",
      path: "/mistaken.s.lst",
      query: workspace("mistaken.s").toString(),
    });
    const document = await vscode.workspace.openTextDocument(listing);
    assert.match(document.getText(), /reset_ac.*\n.*E101/);
  },

  "a setting holds from the moment it is changed": async () => {
    await open("wrapped.s");
    const warned = () =>
      findings("wrapped.s").some(({ message }) => message.includes("40000"));
    await soon(warned, Boolean);
    await set("lint.ignore", ["immediate-wraps"]);
    await soon(warned, (is) => !is);
    await set("lint.ignore", undefined);
    await soon(warned, Boolean);
  },

  "where the editor says nothing, the project's file decides": async () => {
    await open("project/wrapped.s");
    await open("mistaken.s");
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
    assert.deepEqual(findings("project/wrapped.s"), []);
  },

  "a wrong interpreter is said to be wrong, and nothing else is tried": async () => {
    const { server } = await extension();
    for (const [setting, problem] of [
      ["/nowhere/python", "does not exist"],
      ["no-such-python", "is not a program on PATH"],
      ["/etc/passwd", "cannot be executed"],
      ["/bin/false", "cannot be run as a Python interpreter"],
      ["/bin/true", "does not answer as a Python interpreter does"],
      [BARE_PYTHON, "has no ipu-asm"],
    ] as const) {
      await set("interpreter", setting);
      await soon(() => server.problem ?? "", (found) => found.includes(problem));
      await soon(() => server.state, (state) => state === "failed");
      assert.ok(server.problem?.includes(`"${setting}"`), server.problem);
      assert.equal(server.processId, undefined);
    }
  },

  "the right interpreter starts the server without more ado": async () => {
    await set("interpreter", PYTHON);
    await runs();
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
  },

  "a home and the workspace's folder can stand in the setting": async () => {
    await set("interpreter", "${workspaceFolder}/python");
    const { server } = await extension();
    await soon(() => server.command, (command) => command === workspace("python").fsPath);
    await runs();
  },

  "nothing that lies in the workspace is imported": async () => {
    assert.ok(!existsSync(join(workspace("").fsPath, "executed")));
  },
});

async function set(name: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration("ipu").update(name, value, target);
}
