/** One window at a time: a lock file that its holder keeps touching. */

import { open, rm, stat, utimes } from "node:fs/promises";

const TOUCH_MILLISECONDS = 2_000;
const ABANDONED_MILLISECONDS = 20_000;
const WAIT_MILLISECONDS = 200;

/** Do the work while nobody else does any under the same lock file. Waits for its turn. */
export async function alone<Value>(file: string, work: () => Promise<Value>): Promise<Value> {
  while (!(await taken(file))) {
    await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
  }
  const touching = setInterval(() => void touch(file), TOUCH_MILLISECONDS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(file, { force: true });
  }
}

async function taken(file: string): Promise<boolean> {
  try {
    await (await open(file, "wx")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
    await forgetAbandoned(file);
    return false;
  }
}

/** Nobody has touched it for long: the window that held it is gone. */
async function forgetAbandoned(file: string): Promise<void> {
  const held = await stat(file).catch(() => undefined);
  if (held !== undefined && Date.now() - held.mtimeMs > ABANDONED_MILLISECONDS) {
    await rm(file, { force: true });
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
}
