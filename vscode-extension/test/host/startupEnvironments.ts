/** The extension's own environments: made once, made again when broken, removed when unused. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { lookInto } from "../../src/toolchain/interpreter";
import { PrivateEnvironment } from "../../src/toolchain/privateEnvironment";
import { readWheels } from "../../src/toolchain/privateEnvironment";
import { workspace } from "./extension";
import { suite } from "./suite";

// Those who run these tests say which Python has no packages.
const BARE_PYTHON = process.env.IPU_TEST_BARE_PYTHON ?? "";

const disposables: vscode.Disposable[] = [];
const log = vscode.window.createOutputChannel("Test", { log: true });
let storages = 0;

export const run = suite({
  "two windows make one environment": async () => {
    const storage = await newStorage();
    const environments = await Promise.all([environment(storage), environment(storage)]);
    const origins = await Promise.all(environments.map((one) => one.origin()));
    const [first, second] = origins.map((origin) => origin.command("lsp").command);
    assert.equal(first, second);
    assert.equal((await made(storage)).length, 1);
    await works(first);
  },

  "an environment that was not completed is made again": async () => {
    const storage = await newStorage();
    const one = await environment(storage);
    const { command } = (await one.origin()).command("lsp");
    await rm(join(dirname(dirname(command)), "ready"));
    await writeFile(join(dirname(dirname(command)), "half"), "");
    await (await environment(storage)).origin();
    assert.ok(!existsSync(join(dirname(dirname(command)), "half")));
    await works(command);
  },

  "an environment whose Python is gone is made again": async () => {
    const storage = await newStorage();
    const { command } = (await (await environment(storage)).origin()).command("lsp");
    await rm(command);
    await symlink("/nowhere/python", command);
    await (await environment(storage)).origin();
    await works(command);
  },

  "what an ended window has left locked is not locked for ever": async () => {
    const storage = await newStorage();
    const { version, hash } = await wheels();
    const lock = join(storage, `${version}-${hash}.lock`);
    await writeFile(lock, "");
    await utimes(lock, 1, 1);
    const { command } = (await (await environment(storage)).origin()).command("lsp");
    await works(command);
    assert.ok(!existsSync(lock));
  },

  "environments of other versions are removed when nobody has used them for long": async () => {
    const storage = await newStorage();
    for (const [name, used] of [["0.0.1-aaaa", 1], ["0.0.2-bbbb", Date.now() / 1000]] as const) {
      await mkdir(join(storage, name));
      await writeFile(join(storage, name, "ready"), "");
      await utimes(join(storage, name, "ready"), used, used);
    }
    await (await environment(storage)).origin();
    const { version, hash } = await wheels();
    assert.deepEqual(await made(storage), ["0.0.2-bbbb", `${version}-${hash}`]);
  },

  "a Python without venv gets an error that says what to install": async () => {
    const storage = await newStorage();
    const one = await environment(storage, workspace("python-without-venv").fsPath);
    await assert.rejects(one.origin(), /making a virtual environment failed.*venv/);
  },
});

async function newStorage(): Promise<string> {
  const storage = join(workspace("").fsPath, `storage${storages++}`);
  await mkdir(storage);
  return storage;
}

async function wheels() {
  const { packageJSON, extensionPath } = vscode.extensions.getExtension("ipu-asm.ipu-asm")!;
  assert.ok(packageJSON);
  return readWheels(join(extensionPath, "wheels"));
}

async function environment(storage: string, base = BARE_PYTHON): Promise<PrivateEnvironment> {
  const python = () => Promise.resolve(base);
  return new PrivateEnvironment(log, storage, await wheels(), python, disposables);
}

async function made(storage: string): Promise<string[]> {
  const entries = await readdir(storage, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name).sort();
}

async function works(python: string | undefined): Promise<void> {
  const found = await lookInto(log, python ?? "", dirname(python ?? ""));
  assert.ok("interpreter" in found && found.interpreter.ipu === (await wheels()).version);
}
