/** What a program can be run with: the last run, then ipu.toml, then the head comment. */

import type * as vscode from "vscode";
import type { Server } from "../parts";
import { type Arguments, NONE, type Setting, settingOf, withRegisters } from "./runArguments";

/** What the server tells of the inputs of a program (docs/protocol.md). */
interface RunInputs {
  readonly registers: readonly Register[];
  readonly load: readonly Data[];
  readonly expect: readonly Data[];
  readonly options: readonly MachineOption[];
  readonly settings: Readonly<Record<string, Setting>>;
  readonly define: Readonly<Record<string, unknown>>;
  readonly origin: string;
  readonly missing: readonly string[];
  readonly unknown: readonly Unknown[];
}

/** What the host sets of a machine before a run, apart from registers and memory. */
export interface MachineOption {
  readonly name: string;
  readonly kind: "choice" | "flag" | "integer" | "number";
  readonly summary: string;
  readonly choices: readonly string[];
  readonly least: number | null;
  readonly most: number | null;
}

interface Register {
  readonly name: string;
  readonly purpose: string;
  readonly value: number | null;
  readonly origin: string;
  readonly words: string;
}

interface Data {
  readonly text: string;
  readonly origin: string;
  readonly region: string;
}

/** A part of memory that is read, of which the size is not known yet. */
export interface Unknown {
  readonly region: string;
  readonly start: number;
  readonly size: string;
}

/** Arguments that a form begins with, and what it says of them. */
export interface Prefill {
  /** All that is known: the user's changes over the rest. */
  readonly given: Arguments;
  /** What is known without the user's changes. */
  readonly known: Arguments;
  /** The registers that the program reads, by name, with what the author says of them. */
  readonly purposes: ReadonlyMap<string, string>;
  /** Where each argument is from: by `cr1`, by the text of data, by `dtype`. */
  readonly origins: ReadonlyMap<string, string>;
  /** The regions of memory for which data are made up, by the text of the data. */
  readonly generated: ReadonlyMap<string, string>;
  /** Registers without a value. */
  readonly missing: readonly string[];
  readonly unknown: readonly Unknown[];
  /** What else can be set of the machine. */
  readonly options: readonly MachineOption[];
  /** The configuration file of the run; empty without one. */
  readonly origin: string;
  /** Whether the head comment tells of registers or memory. */
  readonly isDocumented: boolean;
}

const NOTHING: RunInputs = {
  registers: [],
  load: [],
  expect: [],
  options: [],
  settings: {},
  define: {},
  origin: "",
  missing: [],
  unknown: [],
};
const LAST_RUN = "last run";
const SHOWN_AS_DECIMAL = 10;
const WORD = 2 ** 32;

/** What is known of a program; `changes` of the user count first. `from` says what they are. */
export async function prefilled(
  server: Server,
  program: vscode.Uri,
  changes: Partial<Arguments>,
  from = LAST_RUN,
): Promise<Prefill> {
  const chosen = { cr: registersIn(changes.cr), lr: registersIn(changes.lr) };
  const parameters = { textDocument: { uri: program.toString() }, ...chosen };
  const asked = server.request<RunInputs | null>("ipu/runInputs", parameters);
  const found = (await asked.catch(() => null)) ?? NOTHING;
  const known = argumentsOf(found);
  const given = {
    ...known,
    ...changes,
    cr: withRegisters(known.cr, changes.cr ?? []),
    lr: withRegisters(known.lr, changes.lr ?? []),
  };
  const set = new Set([...names("cr", given.cr), ...names("lr", given.lr)]);
  return {
    given,
    known,
    purposes: new Map(found.registers.map(({ name, purpose }) => [name, purpose])),
    origins: originsOf(found, known, given, from),
    generated: new Map(
      found.load.filter(isGenerated).map(({ text, region }) => [text, region] as const),
    ),
    missing: found.missing.filter((name) => !set.has(name)),
    unknown: changes.load === undefined ? found.unknown : [],
    options: found.options,
    origin: found.origin,
    isDocumented: found.unknown.length > 0 || found.registers.some(({ purpose }) => purpose !== ""),
  };
}

function argumentsOf(found: RunInputs): Arguments {
  const { dtype, ...settings } = found.settings;
  const values = (file: "cr" | "lr") =>
    found.registers
      .filter(({ name, value }) => name.startsWith(file) && value !== null)
      .map(({ name, value }) => `${name.slice(file.length)}=${wordText(value ?? 0)}`);
  return {
    ...NONE,
    ...(dtype === undefined ? {} : { dtype: `${dtype}` }),
    ...(Object.keys(settings).length ? { settings } : {}),
    ...(Object.keys(found.define).length ? { define: found.define } : {}),
    cr: values("cr"),
    lr: values("lr"),
    load: found.load.map(({ text }) => text),
    expect: found.expect.map(({ text }) => text),
  };
}

/** A word as people write it: small numbers of both signs as decimals, others as addresses. */
export function wordText(value: number): string {
  const signed = value >= WORD / 2 ? value - WORD : value;
  return Math.abs(signed) < SHOWN_AS_DECIMAL * 100 ? `${signed}` : `0x${value.toString(16)}`;
}

function originsOf(
  found: RunInputs,
  known: Arguments,
  given: Arguments,
  from: string,
): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  for (const { name, origin, words } of found.registers) {
    origins.set(name, words ? `${inWords(origin)}: ${words}` : inWords(origin));
  }
  for (const data of [...found.load, ...found.expect]) {
    const { text, origin, region } = data;
    const what = isGenerated(data) ? "made up, " : "";
    origins.set(text, `${region ? `${region}, ` : ""}${what}${inWords(origin)}`);
  }
  for (const name of Object.keys(found.settings)) {
    origins.set(name, baseName(found.origin));
  }
  for (const file of ["cr", "lr"] as const) {
    const before = new Set(known[file]);
    given[file]
      .filter((text) => !before.has(text))
      .forEach((text) => origins.set(`${file}${text.split("=")[0]}`, from));
  }
  const data = [...given.load, ...given.expect].filter((text) => !origins.has(text));
  data.forEach((text) => origins.set(text, from));
  for (const { name } of found.options) {
    if (settingOf(given, name) !== settingOf(known, name)) {
      origins.set(name, from);
    }
  }
  return origins;
}

/** Whether nobody gave data: the head comment says only that there are some. */
function isGenerated({ text, origin }: Data): boolean {
  return text.startsWith("random:") && origin === "header";
}

function inWords(origin: string): string {
  return origin === "header" ? "head comment" : origin === "comment" ? "CR comment" : origin;
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function names(file: string, texts: readonly string[]): string[] {
  return texts.map((text) => `${file}${text.split("=")[0]}`);
}

/** `N=VALUE` each, as a table. */
function registersIn(texts: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(texts.map((text) => text.split("=", 2) as [string, string]));
}
