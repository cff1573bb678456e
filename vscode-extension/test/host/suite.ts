/** Runs tests one after the other and says what came of them. */

import { renameSync, writeFileSync } from "node:fs";

/** Tests by their sentences. */
export type Tests = Record<string, () => Promise<void>>;

/** What a bundle of tests exports as `run`: results go to the file `$IPU_TEST_RESULTS` as JSON. */
export function suite(tests: Tests): () => Promise<void> {
  return async () => {
    const file = process.env.IPU_TEST_RESULTS ?? "results.json";
    const results: unknown[] = [];
    const write = () => writeFileSync(`${file}.part`, JSON.stringify(results));
    write();
    for (const [name, test] of Object.entries(tests)) {
      results.push({ name, ...(await outcome(test)) });
      write();
    }
    renameSync(`${file}.part`, file);
  };
}

async function outcome(test: () => Promise<void>): Promise<{ ok: boolean; message: string }> {
  try {
    await test();
    return { ok: true, message: "" };
  } catch (error) {
    return { ok: false, message: String((error as Error).stack ?? error) };
  }
}
