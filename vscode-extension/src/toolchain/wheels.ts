/** The wheels that the extension carries, as `scripts/wheels.py` describes them. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ToolchainError } from "../parts";

/** Our wheel and the pure-Python wheels that it needs, and what is compiled. */
export interface Wheels {
  readonly version: string;
  /** Of the content of all of them. */
  readonly hash: string;
  readonly files: readonly string[];
  /** Requirements such as `numpy>=2.0`. */
  readonly compiled: readonly string[];
}

/** What lies in a folder of wheels. */
export async function readWheels(folder: string): Promise<Wheels> {
  const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => {
    throw new ToolchainError(
      "This build of the extension carries no Python packages. " +
        "Name a Python with ipu-asm in the setting ipu.interpreter.",
    );
  });
  const { version, hash, wheels, compiled } = JSON.parse(text);
  const files = wheels.map((name: string) => join(folder, name));
  return { version, hash, files, compiled };
}
