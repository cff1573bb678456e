/** The listing beside its program: the same text, the same place, the same cursor. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { linesShowing, listingLineOf, programLineOf } from "../../src/listing/listingSync";
import { EXPANSION, LISTING, programUri, viewUri } from "../../src/listing/views";
import { open, runs, soon, workspace } from "./extension";
import { suite } from "./suite";

const BUNDLES = 300;
const TEXT = "acc;;\n".repeat(BUNDLES) + "bkpt;;\n";
const LINES = [
  { address: null, line: null },
  { address: null, line: null },
  { address: 0, line: 0 },
  { address: null, line: 1 },
  { address: 1, line: 2 },
  { address: 2, line: 2 },
  { address: null, line: 3 },
];

export const run = suite({
  "a listing knows its program, whatever that is called": async () => {
    for (const name of ["a b.s", "ü%20?.s", "kernel.s"]) {
      const listing = viewUri(LISTING, workspace(name));
      assert.equal(programUri(listing).toString(), workspace(name).toString());
      assert.equal(listing.path, `/${name}.lst`);
    }
    const expansion = viewUri(EXPANSION, workspace("a b.s"));
    assert.equal(programUri(expansion).toString(), workspace("a b.s").toString());
    assert.equal(expansion.path, "/a b (expansion).s");
  },

  "lines of one belong to lines of the other": async () => {
    assert.deepEqual(linesShowing(LINES, 2), [4, 5]);
    assert.deepEqual(linesShowing(LINES, 9), []);
    assert.deepEqual([0, 1, 2, 9].map((line) => listingLineOf(LINES, line)), [2, 3, 4, 6]);
    assert.deepEqual([0, 2, 5, 9].map((line) => programLineOf(LINES, line)), [0, 0, 2, 3]);
    assert.deepEqual([listingLineOf([], 3), programLineOf([], 3)], [0, 0]);
  },

  "the listing is opened beside the program, in its own language": async () => {
    await vscode.workspace.fs.writeFile(workspace("long.s"), Buffer.from(TEXT));
    await open("long.s");
    await runs();
    select(program(), 200);
    program()?.revealRange(new vscode.Range(200, 0, 200, 0), vscode.TextEditorRevealType.InCenter);
    await soon(() => seen(program()), ([first, last]) => 0 < first && 200 < last);
    await vscode.commands.executeCommand("ipu.openListing");
    const { document } = await soon(() => listing() as vscode.TextEditor, Boolean);
    assert.match(document.getText(), /long\.s: 301 bundles/);
    assert.equal(document.languageId, "ipu-listing");
    assert.equal(vscode.window.activeTextEditor?.document.languageId, "ipu-asm");
    await new Promise((resolve) => setTimeout(resolve, 500));
    const [first, last] = seen(program());
    assert.ok(first <= 200 && 200 <= last, `the program shows ${first} to ${last}`);
  },

  "the listing shows what the cursor of the program is at": async () => {
    select(program(), 250);
    await soon(() => seen(listing()), ([first, last]) => first < 253 && 253 < last);
    select(program(), 3);
    await soon(() => seen(listing()), ([first, last]) => first < 6 && 6 < last);
  },

  "the program is scrolled with the listing": async () => {
    const editor = listing();
    assert.ok(editor);
    // What follows the cursor is still under way for a moment.
    await soon(() => {
      const range = new vscode.Range(200, 0, 200, 0);
      editor.revealRange(range, vscode.TextEditorRevealType.AtTop);
      return seen(program());
    }, ([first, last]) => first <= 200 && 197 <= last);
  },

  "an edit shows in the listing": async () => {
    const editor = program();
    assert.ok(editor);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "acc;;\n"));
    await soon(() => listing()?.document.getText() ?? "", (text) => text.includes("302 bundles"));
  },

  "after a restart of the server an edit still shows": async () => {
    await vscode.commands.executeCommand("ipu.restartServer");
    await runs();
    const editor = program();
    assert.ok(editor);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "acc;;\n"));
    await soon(() => listing()?.document.getText() ?? "", (text) => text.includes("303 bundles"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  "the expansion of a template is opened beside it, and follows edits": async () => {
    const text = "{% for x in [1, 2] %}\nset lr{{ x }} 0;;\n{% endfor %}\nbkpt;;\n";
    await vscode.workspace.fs.writeFile(workspace("template.s"), Buffer.from(text));
    await open("template.s");
    await runs();
    await vscode.commands.executeCommand("ipu.showExpansion");
    const { document } = await soon(() => visible(EXPANSION.scheme) as vscode.TextEditor, Boolean);
    assert.match(document.getText(), /set lr1 0;;\s+set lr2 0;;\s+bkpt;;/);
    assert.equal(document.languageId, "ipu-asm");
    const editor = vscode.window.activeTextEditor;
    assert.equal(editor?.document.uri.toString(), workspace("template.s").toString());
    await editor?.edit((edit) => edit.replace(new vscode.Range(0, 13, 0, 14), "7"));
    await soon(() => document.getText(), (shown) => shown.includes("set lr7 0;;"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
});

function program(): vscode.TextEditor | undefined {
  return visible("file");
}

function listing(): vscode.TextEditor | undefined {
  return visible("ipu-listing");
}

function visible(scheme: string): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === scheme);
}

function select(editor: vscode.TextEditor | undefined, line: number): void {
  assert.ok(editor);
  editor.selection = new vscode.Selection(line, 0, line, 0);
}

function seen(editor: vscode.TextEditor | undefined): [number, number] {
  const range = editor?.visibleRanges[0];
  return [range?.start.line ?? -1, range?.end.line ?? -1];
}
