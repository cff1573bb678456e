/** What is read of a run of pytest: its events and its output. */

import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type * as vscode from "vscode";
import type { CommandLine, Parts } from "../../src/parts";
import { type Event, newFolder, pytest, removeFolder } from "../../src/testing/events";
import { Tail } from "../../src/testing/events";
import { logInto } from "./log";

const EVENT = '{"event":"session","root":"/añb"}\n';

/** Stands in for pytest: events into the last argument but one, and output that breaks letters. */
const IMITATION = `
const { writeFileSync } = require("node:fs");
const events = process.argv.find((word) => word.startsWith("--ipu-events=")).slice(13);
const output = Buffer.from("grün ✓ 😀\\n");
const write = (from) => {
  if (from < output.length) {
    process.stdout.write(output.subarray(from, from + 1));
    process.stderr.write(output.subarray(from, from + 1));
    setTimeout(write, 2, from + 1);
  }
};
writeFileSync(events, 'nonsense\\n${EVENT.trim()}\\n');
write(0);
`;

test("output and events of pytest come whole, one unreadable event is logged", async (t) => {
  const folder = await folderOf(t);
  const errors: string[] = [];
  const events: Event[] = [];
  const printed: string[] = [];
  const ended = await pytest(
    imitating(errors),
    { fsPath: folder } as vscode.Uri,
    folder,
    [],
    (event) => events.push(event),
    (text) => printed.push(text),
  );
  assert.deepEqual(ended, { status: 0, errors: "grün ✓ 😀\n" });
  assert.deepEqual([...printed.join("")].sort(), [..."grün ✓ 😀\n".repeat(2)].sort());
  assert.deepEqual(events, [{ event: "session", root: "/añb" }]);
  assert.match(errors.join(), /events\.jsonl is left out: Unexpected token/);
});

test("a file that grows in pieces is told line by line, each line once", async (t) => {
  const file = join(await folderOf(t), "events");
  const lines: string[] = [];
  const tail = new Tail(file, (line) => lines.push(line), logInto([]));
  const readings = [tail.read()];
  for (const byte of Buffer.from("eins\nzwölf\n😀\nun")) {
    await appendFile(file, Buffer.of(byte));
    readings.push(tail.read(), tail.read());
  }
  await Promise.all(readings);
  assert.deepEqual(lines, ["eins", "zwölf", "😀"]);
});

async function folderOf(t: TestContext): Promise<string> {
  const folder = await newFolder();
  t.after(() => removeFolder(folder));
  return folder;
}

function imitating(errors: string[]): Parts {
  const line: CommandLine = { command: process.execPath, args: ["-e", IMITATION], origin: "a test" };
  const commandLine = () => Promise.resolve({ ...line, args: [...line.args, "--"] });
  return { toolchain: { commandLine }, log: logInto(errors) } as unknown as Parts;
}
