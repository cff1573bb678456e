/** Asks with which arguments a program is run: one list with what is known, Enter runs. */

import * as vscode from "vscode";
import type { Server } from "../parts";
import { changeDumps, changeData, addData, askText, everyWord, type DataField } from "./formData";
import { saveLaunch } from "./launchFile";
import { optionEntries } from "./machineOptions";
import { type Prefill, prefilled } from "./prefill";
import { type Arguments, changesOf, withRegisters } from "./runArguments";
import { nameOf } from "./subject";

/** Asks for new values; undefined for the entry that runs. */
type Change = (given: Arguments, program: vscode.Uri) => Promise<Arguments>;

interface Entry extends vscode.QuickPickItem {
  readonly change?: Change;
}

/** What `ipu-run` takes for `--max-cycles`, for people. */
const DEFAULT_MOST_CYCLES = "10,000,000";
const VALUE = /^-?\w+$/;

/** What a form ends with. */
export interface Answered {
  readonly given: Arguments;
  /** What is known without the user's changes. */
  readonly known: Arguments;
  /** The configuration file with the run; empty without one. */
  readonly origin: string;
}

/** What a form begins with. `from` says where the changes are from. */
export interface Question {
  readonly program: vscode.Uri;
  readonly verb: string;
  readonly changes: Partial<Arguments>;
  readonly from?: string;
}

/** The arguments that the user wants; undefined if they changed their mind. */
export async function askArguments(
  server: Server,
  { program, verb, changes, from }: Question,
): Promise<Answered | undefined> {
  let known = await prefilled(server, program, changes, from);
  const first = known.given;
  for (;;) {
    const entry = await vscode.window.showQuickPick(entriesOf(known, verb, program), {
      title: `${verb} ${nameOf(program)}`,
      placeHolder: "Enter starts. Choose a line to change it",
      matchOnDescription: true,
    });
    if (!entry) {
      return undefined;
    }
    if (!entry.change) {
      return known;
    }
    const given = await entry.change(known.given, program);
    const origin = JSON.stringify(given) === JSON.stringify(first) ? from : "this form";
    known = await prefilled(server, program, changesOf(given, known.known), origin);
  }
}

function entriesOf(known: Prefill, verb: string, program: vscode.Uri): Entry[] {
  const { given } = known;
  const count = known.missing.length;
  const description = count ? `${known.missing.join(", ")} will be 0` : "";
  return [
    { label: `$(play) ${verb}`, description },
    separator("Registers"),
    ...registerEntries(known),
    { label: "$(add) Another register…", change: addRegister },
    ...optionEntries(known),
    separator("Data in memory"),
    ...dataEntries(known, "load", "$(arrow-right)"),
    ...unknownEntries(known),
    { label: "$(add) Load data…", change: addData("load") },
    ...dataEntries(known, "expect", "$(check)"),
    { label: "$(add) Compare with expected data…", change: addData("expect") },
    separator("More"),
    {
      label: "$(arrow-left) Write memory to files",
      description: given.dump.map((text) => shortened(text)).join("   "),
      change: changeDumps,
    },
    {
      label: "Most cycles",
      description: given.maxCycles ?? DEFAULT_MOST_CYCLES,
      change: changeCycles,
    },
    {
      label: "$(save) Save as launch.json",
      description: "a debug configuration with these arguments",
      change: saveAsLaunch,
    },
    {
      label: "$(discard) Reset",
      description: `forget what was changed here for ${nameOf(program)}`,
      change: async () => known.known,
    },
  ];
}

function separator(label: string): Entry {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** The registers that the program reads, then the others that are set; the origin is never cut. */
function registerEntries({ given, missing, origins, purposes }: Prefill): Entry[] {
  const set = (["cr", "lr"] as const).flatMap((file) =>
    given[file].map((text) => [`${file}${text.split("=")[0]}`, text.split("=")[1]] as const),
  );
  const values = new Map<string, string | undefined>(set);
  const names = [...new Set([...purposes.keys(), ...values.keys()])];
  return names.map((name) => {
    const value = values.get(name);
    const icon = missing.includes(name) ? "$(warning) " : "";
    const about = [value === undefined ? "no value" : origins.get(name), purposes.get(name)];
    return {
      label: `${icon}${name} = ${value ?? "?"}`,
      description: about.filter(Boolean).join("  ·  "),
      change: (before) => changeRegister(before, name, purposes.get(name) ?? "", value),
    };
  });
}

function dataEntries({ given, origins }: Prefill, field: DataField, icon: string): Entry[] {
  return given[field].map((text) => ({
    label: `${icon} ${shortened(text)}`,
    description: origins.get(text) ?? "",
    change: changeData(field, text),
  }));
}

/** Memory that the program reads, of which nobody knows yet how much. */
function unknownEntries({ unknown }: Prefill): Entry[] {
  return unknown.map(({ region, start, size }) => ({
    label: `$(warning) ? @ 0x${start.toString(16)}`,
    description: `${region}: ${size}`,
    change: addData("load", region, `0x${start.toString(16)}`),
  }));
}

/** Data without the folder of their file, which is seen where they are chosen. */
function shortened(text: string): string {
  const at = text.lastIndexOf("@");
  const source = text.slice(0, at);
  const name = source.slice(Math.max(source.lastIndexOf("/"), source.lastIndexOf("\\")) + 1);
  return `${name} @ ${text.slice(at + 1)}`;
}

async function changeRegister(
  given: Arguments,
  name: string,
  purpose: string,
  value: string | undefined,
): Promise<Arguments> {
  const text = await askText({
    title: purpose ? `${name} = ${purpose}` : name,
    prompt: "A number such as 1024, -1 or 0x20000. Nothing means 0",
    value: value ?? "",
    validateInput: everyWord(VALUE, "one number such as 0x20000", 1),
  });
  return text === undefined ? given : withRegister(given, name, text.trim() || "0");
}

async function addRegister(given: Arguments): Promise<Arguments> {
  const text = await askText({
    title: "Another register",
    prompt: "NAME=VALUE such as cr4=64 or lr2=-1; several with blanks between them",
    value: "",
    validateInput: everyWord(/^(cr|lr)\d+=-?\w+$/, "NAME=VALUE such as cr4=64"),
  });
  const words = (text ?? "").split(/[\s,]+/).filter(Boolean);
  return words.reduce((before, word) => {
    const [name = "", value = ""] = word.split("=");
    return withRegister(before, name, value);
  }, given);
}

function withRegister(given: Arguments, name: string, value: string): Arguments {
  const file = name.startsWith("lr") ? "lr" : "cr";
  const over = [`${name.slice(file.length)}=${value}`];
  return { ...given, [file]: withRegisters(given[file], over) };
}

async function saveAsLaunch(given: Arguments, program: vscode.Uri): Promise<Arguments> {
  if (await saveLaunch(program, given)) {
    void vscode.window.showInformationMessage(`launch.json now has ${nameOf(program)}.`);
  }
  return given;
}

async function changeCycles(given: Arguments): Promise<Arguments> {
  const text = await askText({
    title: "Most cycles",
    prompt: `A run that takes longer is stopped. Nothing means ${DEFAULT_MOST_CYCLES}`,
    value: given.maxCycles ?? "",
    validateInput: everyWord(/^\w+$/, "one number such as 100_000", 1),
  });
  return text === undefined ? given : { ...given, maxCycles: text.trim() || undefined };
}
