/** One window at a time: a lock file that its holder keeps touching. */

import { randomUUID } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { setTimeout as elapsed } from "node:timers/promises";

/** In milliseconds. */
export interface LockTimes {
  /** Between two touches of the lock file by its holder. */
  readonly touch: number;
  /** After so long without a touch a lock is taken to be abandoned. */
  readonly abandoned: number;
  /** Between two attempts to get the lock. */
  readonly retry: number;
}

const TIMES: LockTimes = { touch: 2_000, abandoned: 20_000, retry: 200 };

/** Do the work while nobody else does any under the same lock file. Waits for its turn. */
export async function alone<Value>(
  file: string,
  work: () => Promise<Value>,
  times = TIMES,
): Promise<Value> {
  const owner = randomUUID();
  while (!(await taken(file, owner))) {
    await removeAbandoned(file, times);
    await elapsed(times.retry);
  }
  const touching = setInterval(() => void touch(file, owner), times.touch);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await release(file, owner);
  }
}

/** Whether the lock is now its owner's: the file says whose it is. */
async function taken(file: string, owner: string): Promise<boolean> {
  try {
    await writeFile(file, owner, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
    return false;
  }
}

/**
 * Remove a lock whose window is gone. Whoever removes it holds a second lock and looks once more: a
 * window that saw the old lock, too, would remove the one that has been made after it. The holder
 * may also have slept with its machine, so it is given the time for a touch.
 */
async function removeAbandoned(file: string, times: LockTimes): Promise<void> {
  if (!(await isAbandoned(file, times))) {
    return;
  }
  const removal = `${file}.removal`;
  const owner = randomUUID();
  if (!(await taken(removal, owner))) {
    return removeAbandoned(removal, times);
  }
  try {
    await elapsed(2 * times.touch);
    if (await isAbandoned(file, times)) {
      await rm(file, { force: true });
    }
  } finally {
    await release(removal, owner);
  }
}

async function isAbandoned(file: string, { abandoned }: LockTimes): Promise<boolean> {
  const held = await stat(file).catch(() => undefined);
  return held !== undefined && Date.now() - held.mtimeMs > abandoned;
}

async function touch(file: string, owner: string): Promise<void> {
  if (await isOf(file, owner)) {
    const now = new Date();
    await utimes(file, now, now).catch(() => undefined);
  }
}

async function release(file: string, owner: string): Promise<void> {
  if (await isOf(file, owner)) {
    await rm(file, { force: true });
  }
}

/** Whether a lock still is its owner's: others may have taken it for abandoned. */
async function isOf(file: string, owner: string): Promise<boolean> {
  return (await readFile(file, "utf8").catch(() => "")) === owner;
}
