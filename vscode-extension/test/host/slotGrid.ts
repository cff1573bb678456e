/** The slot grid: where its rows stand in the text, what its page makes of them, its panel. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Grid, PlacedRow } from "../../src/slotGrid/messages";
import { forPage, rangeOf, rowAt } from "../../src/slotGrid";
import { cellAt, columnsOf, shown } from "../../src/webviews/slotGrid/columns";
import { moved } from "../../src/webviews/slotGrid/table";
import { innermost, nested, sentenceOf } from "../../src/webviews/slotGrid/loops";
import { extension, open, runs, soon, workspace } from "./extension";
import { opened, tabs } from "./steps";
import { suite } from "./suite";

const TEXT = `# two loops
outer: set lr0 0; set lr1 1;;   # after it
  incr lr2 1;
# within
  acc_nop;;

inner:
  incr lr0 1; foo; set lr3 1; set lr4 2; bne lr0 lr1 inner;;
b outer;; bkpt;;
# the end
`;

export const run = suite({
  "the row of the cursor is the one that the server names": async () => {
    const document = await opened("kernel.s", TEXT);
    await runs();
    const { rows } = await grid("kernel.s");
    for (let line = 0; line < document.lineCount - 2; line++) {
      for (let character = 0; character <= document.lineAt(line).text.length; character++) {
        const place = { line, character };
        const { current } = await grid("kernel.s", place);
        assert.equal(rowAt(rows, place), current ?? null, `${line}:${character}`);
      }
    }
  },

  "behind the last bundle there is no row": async () => {
    const { rows } = await grid("kernel.s");
    assert.equal(rowAt(rows, { line: 9, character: 2 }), null);
    assert.equal(rowAt([], { line: 0, character: 0 }), null);
  },

  "a cell leads to its instruction, a free one to its bundle": async () => {
    const { rows, slots } = await grid("kernel.s");
    const row = rows[2] as PlacedRow;
    const lr = slots.findIndex(({ name }) => name === "lr");
    assert.equal(textOf(rangeOf(row, lr, 0)), "incr lr0 1");
    assert.equal(textOf(rangeOf(row, lr, 1)), "set lr3 1");
    assert.equal(textOf(rangeOf(row, slots.length, 0)), "foo");
    assert.equal(textOf(rangeOf(row, 0, 0)), "");
    assert.deepEqual(rangeOf(row, null, 0).start, row.range.start);
  },

  "the page gets no more than it draws": async () => {
    const page = forPage(await grid("kernel.s"));
    assert.ok(!JSON.stringify(page).includes("range"));
    assert.equal(page.rows.length, 5);
  },

  "there is a column for each place of a used slot, and one for strays": async () => {
    const page = forPage(await grid("kernel.s"));
    const { columns, headings, unused, isWide } = columnsOf(page);
    assert.equal(isWide, false);
    assert.deepEqual(unused, ["break", "xmem", "mult", "aaq"]);
    assert.equal(columns.length, headings.reduce((sum, { span }) => sum + span, 0));
    const names = columns.map(({ name }) => name);
    assert.deepEqual(names.slice(0, 3), ["address", "label", "acc"]);
    assert.equal(names.filter((name) => name === "lr").length, 2);
    assert.equal(names.filter((name) => name === "no slot").length, 2);
    const row = page.rows[2];
    assert.ok(row);
    const texts = columns.map((column) => shown(cellAt(row, column), false)).filter(Boolean);
    assert.deepEqual(texts, ["incr", "set", "bne", "foo", "set"]);
  },

  "a set with one instruction an address shows whole instructions": async () => {
    await opened("program.edgenpu", "SYNC WAIT_DMA\nNOP 100\n");
    const page = forPage(await soon(() => grid("program.edgenpu"), (found) => found !== null));
    const { columns, isWide } = columnsOf(page);
    assert.equal(isWide, true);
    assert.deepEqual(columns.map(({ name }) => name), ["address", "main"]);
    const cells = page.rows.map((row) => shown(columns[1] && cellAt(row, columns[1]), isWide));
    assert.deepEqual(cells, ["SYNC WAIT_DMA", "NOP 100"]);
  },

  "the innermost loop around the cursor is told": async () => {
    const found = await grid("kernel.s");
    const loops = nested(found.loops);
    assert.deepEqual(loops.map(({ label, depth }) => [label, depth]), [["outer", 0], ["inner", 1]]);
    assert.equal(innermost(loops, 1)?.label, "outer");
    assert.equal(innermost(loops, 2)?.label, "inner");
    assert.equal(innermost(loops, 4), undefined);
    assert.equal(innermost(loops, null), undefined);
    const [outer] = loops;
    assert.ok(outer);
    assert.match(sentenceOf(outer, found), /^4 bundles per iteration, \d+ of 28 slots used \(\d+ %\)$/);
  },

  "loops that begin together are told apart by their ends": async () => {
    const loop = (first: number, last: number) =>
      ({ first, last, label: null, iterationBundles: last - first + 1, utilisation: 0, use: "" });
    const loops = nested([loop(0, 3), loop(0, 9), loop(5, 9), loop(12, 12)]);
    const found = loops.map(({ first, last, depth }) => [first, last, depth]);
    assert.deepEqual(found, [[0, 9, 0], [0, 3, 1], [5, 9, 1], [12, 12, 0]]);
  },

  "keys lead from cell to cell and stay within the grid": async () => {
    const from = (row: number, column: number, key: string, ctrlKey = false) => {
      const to = moved({ row, column }, { key, ctrlKey, metaKey: false }, 10, 4, 30);
      return to && [to.row, to.column];
    };
    assert.deepEqual(from(1, 1, "ArrowDown"), [2, 1]);
    assert.deepEqual(from(0, 0, "ArrowUp"), [0, 0]);
    assert.deepEqual(from(1, 3, "ArrowRight"), [1, 3]);
    assert.deepEqual(from(25, 1, "PageDown"), [29, 1]);
    assert.deepEqual(from(9, 2, "Home"), [9, 0]);
    assert.deepEqual(from(9, 2, "End", true), [29, 3]);
    assert.equal(from(9, 2, "x"), undefined);
  },

  "the panel follows the program in the editor": async () => {
    await opened("other.s", "bkpt;;\n");
    await open("kernel.s");
    await vscode.commands.executeCommand("ipu.showSlotGrid");
    await soon(tabs, (labels) => labels.includes("Slots: kernel.s"));
    await open("other.s");
    await soon(tabs, (labels) => labels.includes("Slots: other.s"));
    await vscode.commands.executeCommand("ipu.showSlotGrid", workspace("kernel.s"));
    await soon(tabs, (labels) => labels.includes("Slots: kernel.s"));
    assert.equal(tabs().filter((label) => label.startsWith("Slots: ")).length, 1);
  },
});

async function grid(
  name: string,
  position?: object,
): Promise<Grid<PlacedRow> & { readonly current?: number }> {
  const { server } = await extension();
  const textDocument = { uri: workspace(name).toString() };
  return server.request("ipu/slotGrid", { textDocument, position });
}

function textOf({ start, end }: PlacedRow["range"]): string {
  const lines = TEXT.split("\n");
  return start.line === end.line
    ? (lines[start.line]?.slice(start.character, end.character) ?? "")
    : "more than a line";
}
