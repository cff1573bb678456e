/** What a file of numpy has: `|i1 10x128`, or the names of the arrays in an archive. */

import { open, readFile, stat } from "node:fs/promises";

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
export async function arraysInArchive(path: string): Promise<string[]> {
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
