/** The questions of the form of a run about data in memory, and what files of numpy have. */

import { open, readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import type { Arguments } from "./runArguments";
import { nameOf } from "./subject";

/** The fields of arguments with data that go into memory, or are compared with it. */
export type DataField = "load" | "expect";

type Change = (given: Arguments, program: vscode.Uri) => Promise<Arguments>;

const TITLES = { load: "Load into memory", expect: "Expect in memory" } as const;
const A_FILE = "A file…";
const AWAY = "Take away";
const GENERATED: readonly vscode.QuickPickItem[] = [
  { label: "zeros" },
  { label: "ones" },
  { label: "ramp", description: "0, 1, 2, …" },
  { label: "random", description: "the same for the same seed, everywhere" },
];

/** Asks for one more piece of data; `region` and `address` are where it goes, if that is known. */
export function addData(field: DataField, region = "", address = "0x0"): Change {
  return async (given, program) => {
    const title = region ? `${TITLES[field]}: ${region}` : TITLES[field];
    const text = await askInput(program, title, `${address}:1024`);
    return text ? { ...given, [field]: [...given[field], text] } : given;
  };
}

/** Asks what takes the place of a piece of data. */
export function changeData(field: DataField, text: string): Change {
  return async (given, program) => {
    const place = text.slice(text.lastIndexOf("@") + 1);
    const found = await askInput(program, `${TITLES[field]}: ${text}`, place, AWAY);
    if (found === undefined) {
      return given;
    }
    const others = given[field].flatMap((each) => (each === text ? (found ? [found] : []) : [each]));
    return { ...given, [field]: others };
  };
}

/** Asks for one more file to write, or which one is not to be written. */
export async function changeDumps(given: Arguments, program: vscode.Uri): Promise<Arguments> {
  const title = "Write memory to files";
  const add = { label: "$(add) Add…" };
  const items = [add, ...given.dump.map((label) => ({ label, detail: AWAY }))];
  const choice = given.dump.length ? await vscode.window.showQuickPick(items, { title }) : add;
  if (choice && choice !== add) {
    return { ...given, dump: given.dump.filter((file) => file !== choice.label) };
  }
  const defaultUri = vscode.Uri.joinPath(program, "..", "out.bin");
  const file = choice && (await vscode.window.showSaveDialog({ defaultUri, title }));
  const place = file && (await askPlace(nameOf(file), "0x0:128", true));
  return file && place ? { ...given, dump: [...given.dump, `${file.fsPath}@${place}`] } : given;
}

/** Data and their place, as `ipu-run` takes them; empty for `away`. */
async function askInput(
  program: vscode.Uri,
  title: string,
  place: string,
  away?: string,
): Promise<string | undefined> {
  const file = { label: A_FILE, description: "raw bytes, .npy or .npz" };
  const items = [file, ...GENERATED, ...(away ? [{ label: `$(trash) ${away}` }] : [])];
  const choice = await vscode.window.showQuickPick(items, { title, placeHolder: "Which data" });
  if (!choice) {
    return undefined;
  }
  if (away && choice.label.endsWith(away)) {
    return "";
  }
  if (choice.label === A_FILE) {
    return askFile(program, title, place.split(":")[0] ?? "0x0");
  }
  const source = choice.label === "random" ? await askSeed() : choice.label;
  const asked = place.includes(":") ? place : `${place}:1024`;
  const found = source && (await askPlace(source, asked, true));
  return found && `${source}@${found}`;
}

async function askFile(
  program: vscode.Uri,
  title: string,
  address: string,
): Promise<string | undefined> {
  const options = { defaultUri: vscode.Uri.joinPath(program, ".."), title };
  const [file] = (await vscode.window.showOpenDialog(options)) ?? [];
  if (!file) {
    return undefined;
  }
  const member = /\.npz$/i.test(file.path) ? await askMember(file) : "";
  const array = await arrayInFile(file.fsPath);
  const about = array ? `${nameOf(file)}: ${array}` : nameOf(file);
  const place = member !== undefined && (await askPlace(about, address, false));
  return place ? `${file.fsPath}${member}@${place}` : undefined;
}

async function askSeed(): Promise<string | undefined> {
  const seed = await askText({
    title: "random",
    prompt: "A seed: the same one makes the same data",
    value: "1",
    validateInput: everyWord(/^\w+$/, "one number such as 7", 1, true),
  });
  return seed && `random:${seed.trim()}`;
}

/** The name of an array in an archive, in brackets; an archive of one array needs none. */
async function askMember(file: vscode.Uri): Promise<string | undefined> {
  const found = await arraysInArchive(file.fsPath);
  const title = `An array of ${nameOf(file)}`;
  if (found.length > 1) {
    const name = await vscode.window.showQuickPick(found, { title, placeHolder: title });
    return name && `[${name}]`;
  }
  if (found.length === 1) {
    return "";
  }
  const prompt = "The name of the array. Nothing means the only one";
  const name = await askText({ title, prompt, value: "", validateInput: () => undefined });
  return name ? `[${name}]` : name;
}

function askPlace(
  title: string,
  value: string,
  needsLength: boolean,
): Thenable<string | undefined> {
  const wanted = needsLength
    ? "ADDRESS:LENGTH[:DTYPE] such as 0x40000:512 or 0x40000:20x128:i8"
    : "ADDRESS[:LENGTH][:DTYPE] such as 0x20000 or 0x20000:i8";
  const pattern = needsLength ? /^\w+:\w+(:\w+)?$/ : /^\w+(:\w+){0,2}$/;
  const validateInput = everyWord(pattern, wanted, 1, true);
  return askText({ title, prompt: wanted, value, validateInput });
}

/** A question with one line as the answer. */
export function askText(options: {
  title: string;
  prompt: string;
  value: string;
  validateInput: (text: string) => string | undefined;
}): Thenable<string | undefined> {
  return vscode.window.showInputBox({ ...options, ignoreFocusOut: true });
}

/** Complains about the first word that does not look as it should; `ipu-run` checks the rest. */
export function everyWord(
  pattern: RegExp,
  wanted: string,
  most = Infinity,
  isNeeded = false,
): (text: string) => string | undefined {
  return (text) => {
    const words = text.split(/[\s,]+/).filter(Boolean);
    const wrong = words.find((word) => !pattern.test(word)) ?? words[most];
    if (wrong !== undefined) {
      return `Expected ${wanted}, found ${wrong}`;
    }
    return isNeeded && !words.length ? `Expected ${wanted}` : undefined;
  };
}

const MAGIC = Buffer.from("\x93NUMPY", "latin1");
const MOST = 10_000;
const LARGEST_ARCHIVE = 1 << 28;
const ENTRY = 0x02014b50;
const END = 0x06054b50;

/** The type and the shape of the array in a `.npy` file; undefined for any other file. */
export async function arrayInFile(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST), 0, MOST, 0);
      return arrayOf(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** The type and the shape that the beginning of a `.npy` file states. */
export function arrayOf(beginning: Buffer): string | undefined {
  if (!beginning.subarray(0, MAGIC.length).equals(MAGIC)) {
    return undefined;
  }
  const text = beginning.toString("latin1", MAGIC.length, MOST);
  const type = /'descr':\s*'([^']{1,32})'/.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d,\s]{0,1000})\)/.exec(text)?.[1];
  if (type === undefined || shape === undefined) {
    return undefined;
  }
  return `${type} ${shape.split(/[,\s]+/).filter(Boolean).join("x") || "scalar"}`;
}

/** The names of the arrays in a `.npz` file; none for any other file, or a huge one. */
async function arraysInArchive(path: string): Promise<string[]> {
  try {
    const { size } = await stat(path);
    return size > LARGEST_ARCHIVE ? [] : arraysOf(await readFile(path));
  } catch {
    return [];
  }
}

/** The names of the arrays in an archive: those of its central directory that end in `.npy`. */
export function arraysOf(archive: Buffer): string[] {
  const mark = Buffer.alloc(4);
  mark.writeUInt32LE(END);
  const end = archive.lastIndexOf(mark);
  const names: string[] = [];
  if (end < 0 || end + 20 > archive.length) {
    return names;
  }
  let at = archive.readUInt32LE(end + 16);
  while (at + 46 <= archive.length && archive.readUInt32LE(at) === ENTRY) {
    const [name, extra, comment] = [28, 30, 32].map((place) => archive.readUInt16LE(at + place));
    const text = archive.toString("utf8", at + 46, at + 46 + (name ?? 0));
    if (text.endsWith(".npy")) {
      names.push(text.slice(0, -".npy".length));
    }
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return names;
}
