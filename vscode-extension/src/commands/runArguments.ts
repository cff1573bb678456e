/** With which arguments a program is run: remembered for each file of a workspace. */

import type * as vscode from "vscode";

/** Values as `ipu-run` takes them, so that what was typed is what is passed. */
export interface Arguments {
  readonly dtype?: string;
  /** `N=VALUE` each. */
  readonly cr: readonly string[];
  readonly lr: readonly string[];
  /** `FILE@ADDRESS[:LENGTH][:DTYPE]` each; a file may be `x.npz[name]` or `random:7`. */
  readonly load: readonly string[];
  /** `FILE@ADDRESS:LENGTH` each. */
  readonly dump: readonly string[];
  /** As `load`: what memory should be after the run. */
  readonly expect: readonly string[];
  readonly maxCycles?: string;
  /** Further options of the machine, and names of a template, as a configuration states them. */
  readonly settings?: Readonly<Record<string, Setting>>;
  readonly define?: Readonly<Record<string, unknown>>;
}

export type Setting = string | number | boolean;

/** The option of the machine that has a field of its own; the others are in the settings. */
export const ELEMENT_TYPE = "dtype";

export const NONE: Arguments = { cr: [], lr: [], load: [], dump: [], expect: [] };

/** The arguments that users have chosen for each file, in the storage of the workspace. */
export class RunArguments {
  constructor(private readonly storage: vscode.Memento) {}

  /** What a program was run with last. */
  of(program: vscode.Uri): Arguments {
    return { ...NONE, ...this.changes(program) };
  }

  /** The fields in which the last run differed from what else is known of a program. */
  changes(program: vscode.Uri): Partial<Arguments> {
    return this.storage.get<Partial<Arguments>>(keyOf(program)) ?? {};
  }

  /** Remember arguments as they are; those that say nothing are forgotten. */
  async remember(program: vscode.Uri, given: Arguments): Promise<void> {
    const isNothing = optionsOf(given).length === 0;
    await this.storage.update(keyOf(program), isNothing ? undefined : filled(given));
  }

  /** Remember the fields in which arguments differ from `known`: others may change in a file. */
  async rememberChanges(program: vscode.Uri, given: Arguments, known: Arguments): Promise<void> {
    const changes = changesOf(given, known);
    const isNothing = Object.keys(changes).length === 0;
    await this.storage.update(keyOf(program), isNothing ? undefined : changes);
  }
}

/** The fields in which arguments differ from others; of registers, those that do. */
export function changesOf(given: Arguments, known: Arguments): Partial<Arguments> {
  const before = new Map(Object.entries(known));
  const differs = ([name, value]: [string, unknown]) =>
    JSON.stringify(value ?? null) !== JSON.stringify(before.get(name) ?? null);
  const changes: Partial<Arguments> = Object.fromEntries(Object.entries(given).filter(differs));
  const isNew = (file: "cr" | "lr") => (text: string) => !known[file].includes(text);
  return {
    ...changes,
    ...(changes.cr ? { cr: changes.cr.filter(isNew("cr")) } : {}),
    ...(changes.lr ? { lr: changes.lr.filter(isNew("lr")) } : {}),
  };
}

/** What arguments say of an option of the machine. */
export function settingOf(given: Arguments, name: string): Setting | undefined {
  return name === ELEMENT_TYPE ? given.dtype : given.settings?.[name];
}

/** Registers with others over them; `N=VALUE` each, in the order of their numbers. */
export function withRegisters(texts: readonly string[], over: readonly string[]): string[] {
  const split = (text: string) => text.split("=", 2) as [string, string];
  const merged = new Map([...texts, ...over].map(split));
  return [...merged]
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([number, value]) => `${number}=${value}`);
}

/** The arguments as the options of `ipu-run`. */
export function optionsOf(given: Arguments): string[] {
  const { dtype, cr, lr, load, dump, expect, maxCycles, settings = {}, define = {} } = given;
  const each = (option: string, values: readonly string[]) =>
    values.flatMap((value) => [`--${option}`, value]);
  return [
    ...each("dtype", dtype ? [dtype] : []),
    ...Object.entries(settings).flatMap(([name, value]) => settingOption(name, value)),
    ...each(
      "define",
      Object.entries(define).map(([name, value]) => `${name}=${textOf(value)}`),
    ),
    ...each("cr", cr),
    ...each("lr", lr),
    ...each("load", load),
    ...each("dump", dump),
    ...each("expect", expect),
    ...each("max-cycles", maxCycles ? [maxCycles] : []),
  ];
}

function settingOption(name: string, value: Setting): string[] {
  const option = `--${name.replaceAll("_", "-")}`;
  return typeof value === "boolean" ? (value ? [option] : []) : [option, `${value}`];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The fields that say something. */
function filled(given: Arguments): Partial<Arguments> {
  const says = ([, value]: [string, unknown]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined;
  return Object.fromEntries(Object.entries(given).filter(says));
}

function keyOf(program: vscode.Uri): string {
  return `ipu.run ${program.toString()}`;
}
