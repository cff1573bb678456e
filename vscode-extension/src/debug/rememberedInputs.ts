/** What a program was run with last, as fields of a debug configuration. */

import { isAbsolute, join } from "node:path";
import type * as vscode from "vscode";
import type { Arguments } from "../commands/runArguments";

const GENERATED = /^(zeros|ones|ramp|random:\w+)$/i;
const INPUTS = ["dtype", "cr", "lr", "registers", "entry", "args", "load", "expect"] as const;

/** A piece of memory in a debug configuration. */
interface Piece {
  readonly file: string;
  readonly address: string;
  readonly length?: string;
  readonly dtype?: string;
}

/** Whether a configuration gives registers, data or an element type itself. */
export function hasInputs(configuration: vscode.DebugConfiguration): boolean {
  return INPUTS.some((name) => configuration[name] !== undefined);
}

/** The fields; none for arguments that say nothing. Relative files are in `folder`. */
export function launchFields(given: Arguments, folder: string): Partial<vscode.DebugConfiguration> {
  const { dtype, cr, lr, load, dump, expect, maxCycles, settings = {}, define } = given;
  const pieces = (texts: readonly string[]) => texts.map((text) => piece(text, folder));
  return {
    ...(dtype ? { dtype } : {}),
    ...(cr.length ? { cr: registers(cr) } : {}),
    ...(lr.length ? { lr: registers(lr) } : {}),
    ...(load.length ? { load: pieces(load) } : {}),
    ...(dump.length ? { dump: pieces(dump) } : {}),
    ...(expect.length ? { expect: pieces(expect) } : {}),
    ...(maxCycles ? { maxCycles } : {}),
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [fieldOf(name), value])),
    ...(define ? { define } : {}),
  };
}

/** The arguments that a configuration gives itself. */
export function argumentsIn(configuration: vscode.DebugConfiguration): Partial<Arguments> {
  const registers = (table: Record<string, unknown> | undefined) =>
    Object.entries(table ?? {}).map(([number, value]) => `${number}=${value}`);
  const pieces = (list: readonly Partial<Piece>[] | undefined) => (list ?? []).map(pieceText);
  const { dtype, cr, lr, load, dump, expect } = configuration;
  return {
    ...(dtype ? { dtype } : {}),
    ...(cr ? { cr: registers(cr) } : {}),
    ...(lr ? { lr: registers(lr) } : {}),
    ...(load ? { load: pieces(load) } : {}),
    ...(dump ? { dump: pieces(dump) } : {}),
    ...(expect ? { expect: pieces(expect) } : {}),
  };
}

function pieceText({ file, address, length, dtype }: Partial<Piece>): string {
  const place = [address ?? 0, length, dtype].filter((part) => part !== undefined && part !== "");
  return `${file}@${place.join(":")}`;
}

/** The field of an option of the machine: `aaq_shift` is `aaqShift`. */
function fieldOf(name: string): string {
  return name.replace(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `N=VALUE` each. */
function registers(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => text.split("=", 2) as [string, string]));
}

/** `SOURCE@ADDRESS[:LENGTH][:DTYPE]`; only a length begins with a digit. */
function piece(text: string, folder: string): Piece {
  const at = text.lastIndexOf("@");
  const source = text.slice(0, at);
  const [address = "0", ...rest] = text.slice(at + 1).split(":");
  const length = rest.find((part) => /^\d/.test(part));
  const dtype = rest.find((part) => /^[a-z]/i.test(part));
  const file = GENERATED.test(source) || isAbsolute(source) ? source : join(folder, source);
  return { file, address, ...(length ? { length } : {}), ...(dtype ? { dtype } : {}) };
}
