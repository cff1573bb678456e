/** Environments of other versions of the extension. */

import { readdir, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type * as vscode from "vscode";
import { messageOf } from "../parts";

const REMOVED_AFTER_MS = 60 * 60_000;

/** Remove what lies beside `kept` and has not been used by any window for an hour. */
export async function removeUnused(
  log: vscode.LogOutputChannel,
  storage: string,
  kept: string,
): Promise<void> {
  const entries = await readdir(storage, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== basename(kept));
  for (const { name } of folders) {
    const folder = join(storage, name);
    if (await isUnused(folder)) {
      log.info(`Removing ${folder}`);
      await remove(folder).catch((error: unknown) => log.warn(messageOf(error)));
    }
  }
}

async function isUnused(folder: string): Promise<boolean> {
  const last = (await stat(join(folder, "ready")).catch(() => stat(folder))).mtimeMs;
  return Date.now() - last > REMOVED_AFTER_MS;
}

/** First what says that it can be used: what is half removed is not. */
async function remove(folder: string): Promise<void> {
  await rm(join(folder, "ready"), { force: true });
  await rm(folder, { recursive: true, force: true });
}
