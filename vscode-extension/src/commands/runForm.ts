/** Asks with which arguments a program is run: one list with what is set, Enter runs. */

import * as vscode from "vscode";
import type { Arguments } from "./runArguments";
import { nameOf } from "./subject";

interface Entry extends vscode.QuickPickItem {
  /** Asks for new values; undefined for the entry that runs. */
  readonly change?: (given: Arguments, program: vscode.Uri) => Promise<Arguments>;
}

const TYPES: readonly vscode.QuickPickItem[] = [
  { label: "int8", description: "cr15 = 0" },
  { label: "fp8_e4m3", description: "cr15 = 1" },
  { label: "fp8_e5m2", description: "cr15 = 2" },
];
const UNSET = "As the program sets it";
const NUMBER = String.raw`-?\w+`;
const ADD = "$(add) Add a file…";

/** The arguments that the user wants; undefined if they changed their mind. */
export async function askArguments(
  program: vscode.Uri,
  before: Arguments,
  verb: string,
): Promise<Arguments | undefined> {
  let given = before;
  for (;;) {
    const placeHolder = `${verb} ${nameOf(program)}: Enter starts; choose a line to change it`;
    const entry = await vscode.window.showQuickPick(entriesOf(given, verb), { placeHolder });
    if (!entry) {
      return undefined;
    }
    if (!entry.change) {
      return given;
    }
    given = await entry.change(given, program);
  }
}

function entriesOf(given: Arguments, verb: string): Entry[] {
  const shown = (values: readonly string[]) => values.join("   ") || "none";
  return [
    { label: `$(play) ${verb}` },
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    { label: "Element type", description: given.dtype ?? UNSET, change: changeType },
    registers("Config registers", "cr", given.cr),
    registers("Loop registers", "lr", given.lr),
    { label: "Load into memory", description: shown(given.load), change: changeLoads },
    { label: "Dump from memory", description: shown(given.dump), change: changeDumps },
    {
      label: "Most cycles",
      description: given.maxCycles ?? "10,000,000",
      change: changeCycles,
    },
    {
      label: "$(discard) Reset",
      description: "Forget these arguments",
      change: async () => ({ cr: [], lr: [], load: [], dump: [] }),
    },
  ];
}

function registers(label: string, file: "cr" | "lr", values: readonly string[]): Entry {
  return {
    label,
    description: values.join("   ") || "all 0",
    change: async (given) => {
      const text = await vscode.window.showInputBox({
        title: label,
        prompt: `N=VALUE each, with blanks between them: ${file}0 and ${file}1 are 0=0x1000 1=42`,
        value: values.join(" "),
        validateInput: everyWord(new RegExp(`^\\d+=${NUMBER}$`), "N=VALUE such as 0=0x1000"),
      });
      return text === undefined ? given : { ...given, [file]: wordsOf(text) };
    },
  };
}

async function changeType(given: Arguments): Promise<Arguments> {
  const items = [{ label: UNSET }, ...TYPES];
  const choice = await vscode.window.showQuickPick(items, { placeHolder: "Element type" });
  const dtype = choice?.label === UNSET ? undefined : choice?.label;
  return choice ? { ...given, dtype } : given;
}

async function changeCycles(given: Arguments): Promise<Arguments> {
  const text = await vscode.window.showInputBox({
    title: "Most cycles",
    prompt: "A run that takes longer is stopped. Nothing means 10,000,000",
    value: given.maxCycles ?? "",
    validateInput: everyWord(/^\w+$/, "one number such as 100_000", 1),
  });
  return text === undefined ? given : { ...given, maxCycles: text.trim() || undefined };
}

async function changeLoads(given: Arguments, program: vscode.Uri): Promise<Arguments> {
  const load = await changeFiles(given.load, "Load into memory", async () => {
    const options = { defaultUri: folderOf(program), title: "Load into memory" };
    const [file] = (await vscode.window.showOpenDialog(options)) ?? [];
    const place = file && (await askPlace(file, "0x0", false));
    return file && place ? `${file.fsPath}@${place}` : undefined;
  });
  return { ...given, load };
}

async function changeDumps(given: Arguments, program: vscode.Uri): Promise<Arguments> {
  const dump = await changeFiles(given.dump, "Dump from memory", async () => {
    const defaultUri = vscode.Uri.joinPath(folderOf(program), "out.bin");
    const file = await vscode.window.showSaveDialog({ defaultUri, title: "Dump from memory" });
    const place = file && (await askPlace(file, "0x0:128", true));
    return file && place ? `${file.fsPath}@${place}` : undefined;
  });
  return { ...given, dump };
}

/** A list of files to which one can be added; one that is chosen is taken away. */
async function changeFiles(
  files: readonly string[],
  title: string,
  ask: () => Promise<string | undefined>,
): Promise<readonly string[]> {
  if (!files.length) {
    const first = await ask();
    return first ? [first] : [];
  }
  const items = [{ label: ADD }, ...files.map((label) => ({ label, detail: "Take away" }))];
  const choice = await vscode.window.showQuickPick(items, { title, placeHolder: title });
  if (choice?.label !== ADD) {
    return files.filter((file) => file !== choice?.label);
  }
  const added = await ask();
  return added ? [...files, added] : files;
}

function askPlace(
  file: vscode.Uri,
  value: string,
  needsLength: boolean,
): Thenable<string | undefined> {
  const wanted = needsLength ? "ADDRESS:LENGTH such as 0x40000:512" : "ADDRESS such as 0x20000";
  const pattern = needsLength ? /^\w+:\w+$/ : /^\w+(:\w+)?$/;
  const validateInput = everyWord(pattern, wanted, 1, true);
  return vscode.window.showInputBox({ title: nameOf(file), prompt: wanted, value, validateInput });
}

/** Complains about the first word that does not look as it should; `ipu-run` checks the rest. */
function everyWord(
  pattern: RegExp,
  wanted: string,
  most = Infinity,
  isNeeded = false,
): (text: string) => string | undefined {
  return (text) => {
    const words = wordsOf(text);
    const wrong = words.find((word) => !pattern.test(word)) ?? words[most];
    if (wrong !== undefined) {
      return `Expected ${wanted}, found ${wrong}`;
    }
    return isNeeded && !words.length ? `Expected ${wanted}` : undefined;
  };
}

function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function folderOf(program: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(program, "..");
}
