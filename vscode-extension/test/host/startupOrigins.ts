/** Where the programs come from, beside an imitation of the Python extension. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { extension, runs, soon } from "./extension";
import { suite } from "./suite";

// Those who run these tests say which interpreter has ipu-asm, and which has not.
const PYTHON = process.env.IPU_TEST_PYTHON ?? "";
const BARE_PYTHON = process.env.IPU_TEST_BARE_PYTHON ?? "";

/** What our imitation of the Python extension adds to its interface. */
interface Imitation {
  choose(python: string): void;
}

export const run = suite({
  "the interpreter chosen in the Python extension comes before PATH": async () => {
    const { server } = await extension();
    await runs();
    assert.equal(server.origin, "the interpreter chosen in the Python extension");
    assert.equal(server.command, PYTHON);
  },

  "one without ipu-asm is passed over": async () => {
    await choose(BARE_PYTHON);
    await comesFrom("ipu-lsp on PATH");
  },

  "another choice is followed": async () => {
    await choose(PYTHON);
    await comesFrom("the interpreter chosen in the Python extension");
  },

  "the same choice again does not disturb the server": async () => {
    const { server } = await extension();
    const running = server.processId;
    await choose(PYTHON);
    await server.settled();
    assert.equal(server.processId, running);
  },

  "the setting comes before all others": async () => {
    await set(PYTHON);
    await comesFrom("the setting ipu.interpreter");
    await set(undefined);
    await comesFrom("the interpreter chosen in the Python extension");
  },
});

async function comesFrom(origin: string): Promise<void> {
  const { server } = await extension();
  await soon(() => server.origin, (found) => found === origin);
  await runs();
}

async function choose(python: string): Promise<void> {
  const imitation = vscode.extensions.getExtension<Imitation>("ms-python.python");
  (await imitation?.activate())?.choose(python);
}

async function set(interpreter: string | undefined): Promise<void> {
  const target = vscode.ConfigurationTarget.Workspace;
  await vscode.workspace.getConfiguration("ipu").update("interpreter", interpreter, target);
}
