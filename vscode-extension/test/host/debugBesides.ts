/** What the editor shows beside a program while a machine stands, and what goes in and out. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { expressionProvider } from "../../src/debug/expressions";
import type { Parts } from "../../src/parts";
import { ended, KERNEL, moved, standing, stops, value } from "./debugSessions";
import { extension, runs, soon, workspace } from "./extension";
import { opened } from "./steps";
import { suite } from "./suite";

export const run = suite({
  "registers and labels under the pointer are values, mnemonics are not": async () => {
    const document = await opened("kernel.s", KERNEL);
    await runs();
    const expressions = await expressionsOf(document, 3);
    assert.deepEqual(expressions, ["lr1", "r0", "lr0", "lr0", "lr0"]);
    assert.deepEqual(await expressionsOf(document, 2), ["loop"]);
    assert.deepEqual(await expressionsOf(document, 4), ["lr1", "lr5", "loop"]);
    assert.deepEqual(await expressionsOf(document, 5), []);
  },

  "what is shown after the lines has a value": async () => {
    await opened("kernel.s", KERNEL);
    const session = await standing("kernel.s");
    await moved(session, "next");
    assert.deepEqual(await shownBehindLines(session), ["4: lr1@incr = 0 -> 1", "4: lr0 = 0"]);
    await moved(session, "next");
    assert.deepEqual(await shownBehindLines(session), [
      "4: lr1 = 1 was 0",
      "4: lr0 = 0",
      "5: lr1 = 1 was 0",
      "5: lr5 = 2",
    ]);
    await ended();
  },

  "the frames of loops say the trip, and a command goes to another one": async () => {
    const session = await standing("kernel.s");
    await moved(session, "next");
    assert.deepEqual(await frames(session), ["loop", "loop, trip 1 of 2"]);
    const before = stops();
    await vscode.commands.executeCommand("ipu.goToTrip", "+1");
    await soon(stops, (count) => count > before);
    assert.deepEqual(await frames(session), ["loop", "loop, trip 2 of 2"]);
    await ended();
  },

  "memory is a file that an editor of bytes reads and writes": async () => {
    const session = await standing("kernel.s");
    await session.customRequest("evaluate", { expression: "xmem[0x1ffff0] = 7", context: "repl" });
    // Behind the 16 bytes up to the end of memory nothing can be read.
    for (const file of [memoryFile(session, "0x1ffff0", 0), memoryFile(session, "0x0", 0x1ffff0)]) {
      const bytes = await vscode.workspace.fs.readFile(file);
      assert.deepEqual([...bytes], [7, ...new Array<number>(15).fill(0)]);
    }
    const file = memoryFile(session, "0x1ffff0", 0);
    await vscode.workspace.fs.writeFile(file, Buffer.from([1, 2, 3]));
    assert.equal(await value(session, "xmem[0x1ffff0 .. +4]"), "[1, 2, 3, 0]");
    await ended();
  },

  "files of memory are looked for in the workspace": async () => {
    await vscode.workspace.fs.writeFile(workspace("row.bin"), new Uint8Array([5, 6, 7]));
    const load = [{ file: "row.bin", address: "0x100" }];
    const dump = [{ file: "out.bin", address: "0x100", length: 4 }];
    const session = await standing("kernel.s", { program: "kernel.s", load, dump });
    assert.equal(await value(session, "xmem[0x100 .. +4]"), "[5, 6, 7, 0]");
    await moved(session, "continue");
    await ended();
    const out = await vscode.workspace.fs.readFile(workspace("out.bin"));
    assert.deepEqual([...out], [5, 6, 7, 0]);
  },
});

interface Inline {
  readonly range: { readonly start: { readonly line: number } };
  readonly expression: string;
}

/** 24 bytes from a reference and an offset on, as the button for binary data opens them. */
function memoryFile(session: vscode.DebugSession, reference: string, offset: number): vscode.Uri {
  const path = `/${encodeURIComponent(reference)}/memory.bin`;
  const query = `range=${offset}:${offset + 24}`;
  return vscode.Uri.from({ scheme: "vscode-debug-memory", authority: session.id, path, query });
}

/** The names of the frames of a session that is stopped. */
async function frames(session: vscode.DebugSession): Promise<string[]> {
  const { stackFrames } = await session.customRequest("stackTrace", { threadId: 1 });
  return stackFrames.map(({ name }: { name: string }) => name);
}

/** What stands after the lines of the kernel while a session is stopped. */
async function shownBehindLines(session: vscode.DebugSession): Promise<string[]> {
  const { server } = await extension();
  const { stackFrames } = await session.customRequest("stackTrace", { threadId: 1 });
  const at = { line: stackFrames[0].line - 1, character: stackFrames[0].column - 1 };
  const shown = await server.request<Inline[]>("textDocument/inlineValue", {
    textDocument: { uri: workspace("kernel.s").toString() },
    range: { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } },
    context: { frameId: 1, stoppedLocation: { start: at, end: at } },
  });
  const texts = shown.map(async ({ range, expression }) => {
    return `${range.start.line + 1}: ${expression} = ${await value(session, expression)}`;
  });
  return Promise.all(texts);
}

/** The expressions under the pointer from the left to the right of a line. */
async function expressionsOf(document: vscode.TextDocument, line: number): Promise<string[]> {
  const { server } = await extension();
  const provider = expressionProvider({ server } as unknown as Parts);
  const { token } = new vscode.CancellationTokenSource();
  const found = new Map<number, string>();
  for (let column = 0; column <= document.lineAt(line).text.length; column++) {
    const at = new vscode.Position(line, column);
    const expression = await provider.provideEvaluatableExpression(document, at, token);
    if (expression) {
      found.set(expression.range.start.character, document.getText(expression.range));
    }
  }
  return [...found.values()];
}

