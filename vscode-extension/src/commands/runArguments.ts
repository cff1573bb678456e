/** With which arguments a program is run: remembered for each file of a workspace. */

import type * as vscode from "vscode";

/** Values as `ipu-run` takes them, so that what was typed is what is passed. */
export interface Arguments {
  readonly dtype?: string;
  /** `N=VALUE` each. */
  readonly cr: readonly string[];
  readonly lr: readonly string[];
  /** `FILE@ADDRESS` each. */
  readonly load: readonly string[];
  /** `FILE@ADDRESS:LENGTH` each. */
  readonly dump: readonly string[];
  readonly maxCycles?: string;
}

const NONE: Arguments = { cr: [], lr: [], load: [], dump: [] };

/** The arguments of all files, in the storage of the workspace. */
export class RunArguments {
  constructor(private readonly storage: vscode.Memento) {}

  /** What a program was run with last. */
  of(program: vscode.Uri): Arguments {
    return { ...NONE, ...this.storage.get<Partial<Arguments>>(keyOf(program)) };
  }

  /** Remember them; those that say nothing are forgotten. */
  async remember(program: vscode.Uri, given: Arguments): Promise<void> {
    const isNothing = optionsOf(given).length === 0;
    await this.storage.update(keyOf(program), isNothing ? undefined : given);
  }
}

/** The arguments as the options of `ipu-run`. */
export function optionsOf({ dtype, cr, lr, load, dump, maxCycles }: Arguments): string[] {
  const each = (option: string, values: readonly string[]) =>
    values.flatMap((value) => [`--${option}`, value]);
  return [
    ...each("dtype", dtype ? [dtype] : []),
    ...each("cr", cr),
    ...each("lr", lr),
    ...each("load", load),
    ...each("dump", dump),
    ...each("max-cycles", maxCycles ? [maxCycles] : []),
  ];
}

function keyOf(program: vscode.Uri): string {
  return `ipu.run ${program.toString()}`;
}
