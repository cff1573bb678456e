/** Lines of a run's form for what the host sets of a machine besides registers and memory. */

import * as vscode from "vscode";
import { askText } from "./formData";
import type { MachineOption, Prefill } from "./prefill";
import { type Arguments, ELEMENT_TYPE, type Setting, settingOf } from "./runArguments";

const AS_THE_PROGRAM = "as the program sets it";
const UNSET: vscode.QuickPickItem = { label: "As the program sets it" };

interface OptionEntry extends vscode.QuickPickItem {
  readonly change: (given: Arguments) => Promise<Arguments>;
}

/** A line for each option of the machine that executes the program. */
export function optionEntries({ given, options, origins }: Prefill): OptionEntry[] {
  return options.map((option) => ({
    label: `${titleOf(option)}: ${valueOf(given, option.name) ?? AS_THE_PROGRAM}`,
    description: [origins.get(option.name), summaryOf(option)].filter(Boolean).join("  ·  "),
    change: (before) => changeOption(before, option),
  }));
}

async function changeOption(given: Arguments, option: MachineOption): Promise<Arguments> {
  const chosen = await (option.kind === "choice" || option.kind === "flag"
    ? pickValue(option)
    : typeValue(option, valueOf(given, option.name)));
  return chosen === undefined ? given : withValue(given, option.name, chosen.value);
}

/** What a user chose; a value of `undefined` leaves it to the program. */
interface Chosen {
  readonly value: Setting | undefined;
}

async function pickValue(option: MachineOption): Promise<Chosen | undefined> {
  const isFlag = option.kind === "flag";
  const items = (isFlag ? ["on", "off"] : option.choices).map((label) => ({ label }));
  const placeHolder = `${titleOf(option)}: ${summaryOf(option)}`;
  const choice = await vscode.window.showQuickPick([UNSET, ...items], { placeHolder });
  if (!choice) {
    return undefined;
  }
  const value = isFlag ? choice.label === "on" : choice.label;
  return { value: choice.label === UNSET.label ? undefined : value };
}

async function typeValue(
  option: MachineOption,
  before: Setting | undefined,
): Promise<Chosen | undefined> {
  const text = await askText({
    title: titleOf(option),
    prompt: `${summaryOf(option)}. Nothing leaves it to the program`,
    value: before === undefined ? "" : `${before}`,
    validateInput: (typed) => complaint(option, typed.trim()),
  });
  const value = text?.trim() ? Number(text) : undefined;
  return text === undefined ? undefined : { value };
}

function complaint(option: MachineOption, text: string): string | undefined {
  const { kind, least, most } = option;
  const number = Number(text);
  const isWhole = kind !== "integer" || Number.isInteger(number);
  const isWithin = number >= (least ?? -Infinity) && number <= (most ?? Infinity);
  if (text === "" || (Number.isFinite(number) && isWhole && isWithin)) {
    return undefined;
  }
  const from = least === null ? "" : ` from ${least}`;
  const to = most === null ? "" : ` to ${most}`;
  const what = kind === "integer" ? "a whole number" : "a number";
  return `Expected ${what}${from}${to}, found ${text}`;
}

/** The summary as plain text, which lists and questions show. */
function summaryOf({ summary }: MachineOption): string {
  return summary.replaceAll("`", "");
}

function titleOf({ name }: MachineOption): string {
  const words = name === ELEMENT_TYPE ? "element type" : name.replaceAll("_", " ");
  return words.replace(/^(aaq\b|.)/, (first) => first.toUpperCase());
}

function valueOf(given: Arguments, name: string): Setting | undefined {
  const value = settingOf(given, name);
  return typeof value === "boolean" ? (value ? "on" : "off") : value;
}

function withValue(given: Arguments, name: string, value: Setting | undefined): Arguments {
  if (name === ELEMENT_TYPE) {
    return { ...given, dtype: value === undefined ? undefined : `${value}` };
  }
  const others = Object.entries(given.settings ?? {}).filter(([other]) => other !== name);
  const all = value === undefined ? others : [...others, [name, value] as const];
  return { ...given, settings: all.length ? Object.fromEntries(all) : undefined };
}
