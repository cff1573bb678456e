/** Locks between windows: one holder at a time, also after a window that is gone. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as elapsed } from "node:timers/promises";
import { alone } from "../../src/toolchain/lock";

// A touch comes late where the machine is busy: far below what counts as abandoned.
const TIMES = { touch: 10, abandoned: 60_000, retry: 1 };

test("windows that all see an abandoned lock work one after the other", async () => {
  const file = await lockFile();
  await writeFile(file, "");
  await utimes(file, 1, 1);
  let working = 0;
  const work = async () => {
    assert.equal(++working, 1);
    await elapsed(5);
    working--;
  };
  await Promise.all(Array.from({ length: 8 }, () => alone(file, work, TIMES)));
  assert.deepEqual(await readdir(join(file, "..")), []);
});

test("a window that was gone while it removed an abandoned lock stops no other", async () => {
  const file = await lockFile();
  for (const left of [file, `${file}.removal`]) {
    await writeFile(left, "");
    await utimes(left, 1, 1);
  }
  assert.equal(await alone(file, () => Promise.resolve("done"), TIMES), "done");
  assert.deepEqual(await readdir(join(file, "..")), []);
});

test("a lock that others have taken over is not removed by its first holder", async () => {
  const file = await lockFile();
  await alone(file, () => writeFile(file, "the owner after us"), TIMES);
  assert.ok(existsSync(file));
});

test("a lock is free again after work that failed", async () => {
  const file = await lockFile();
  const failing = alone(file, () => Promise.reject(new Error("no network")), TIMES);
  await assert.rejects(failing, /no network/);
  assert.ok(!existsSync(file));
});

async function lockFile(): Promise<string> {
  return join(await mkdtemp(join(tmpdir(), "ipu-lock-")), "environment.lock");
}
