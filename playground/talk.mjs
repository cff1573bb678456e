// Hands messages to the language server of a built page, without the page: one body of JSON a line
// of standard input; prints each message of the server on a line.
//
//   node talk.mjs <MESSAGES

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { loadPyodide } from "pyodide";
import { unpack } from "./src/archive.js";

const dist = new URL("dist/", import.meta.url);
const python = await loadPyodide({ stdLibURL: new URL("python_stdlib.zip", dist).pathname });
unpack(new Uint8Array(gunzipSync(readFileSync(new URL("app.tar.bin", dist)))), python.FS);
python.runPython('import sys; sys.path.insert(0, "/app")');
const host = python.pyimport("host");
host.start((message) => process.stdout.write(`${message}\n`));
for await (const line of createInterface({ input: process.stdin })) {
  host.feed(line);
  while (host.pump());
}
