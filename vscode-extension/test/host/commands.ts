/** The commands about a whole program, with their arguments given instead of asked for. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { dressed } from "../../src/commands/profilePage";
import { type Arguments, optionsOf, RunArguments } from "../../src/commands/runArguments";
import { command, HALTING, tabs, type, written } from "./steps";
import { findings, open, runs, soon, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "a program is assembled into each of the formats": async () => {
    await written("kernel.s", HALTING);
    await runs();
    assert.match(await assembled("hex"), /^(0x[0-9a-f]{48}\n){3}$/);
    assert.match(await assembled("mem"), /^(0x[0-9a-f]{45}\n){3}$/);
    assert.match(await assembled("listing"), /kernel\.s: 3 bundles/);
    const image = await command<vscode.Uri>("assembleFile", "kernel.s", request("bin"));
    assert.equal((await vscode.workspace.fs.readFile(image)).length, 3 * 24);
  },

  "what is not saved yet is assembled": async () => {
    await open("kernel.s");
    await type("acc;;\n");
    assert.match(await assembled("hex"), /^(0x[0-9a-f]{48}\n){4}$/);
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },

  "a template is assembled in the chosen context": async () => {
    const contexts = "{# ipu: context rows=2 #}\n{# ipu: context rows=3 #}\n";
    await written("rows.s", `${contexts}set lr0 {{ rows }};;\nbkpt;;\n`);
    await open("rows.s");
    const first = await assembled("hex", "rows.s");
    await vscode.commands.executeCommand("ipu.chooseContext", 1);
    assert.notEqual(await assembled("hex", "rows.s"), first);
    await vscode.commands.executeCommand("ipu.chooseContext", 0);
    assert.equal(await assembled("hex", "rows.s"), first);
  },

  "a program with errors is not assembled": async () => {
    await written("mistaken.s", "foo;;\n");
    const output = workspace("never.hex");
    const made = await command("assembleFile", "mistaken.s", { format: "hex", output });
    assert.equal(made, undefined);
    assert.equal(await exists("never.hex"), false);
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
  },

  "a file that is no program is not assembled": async () => {
    await written("notes.txt", "bkpt;;\n");
    assert.equal(await command("assembleFile", "notes.txt", request("hex")), undefined);
  },

  "arguments are passed as they were typed": async () => {
    const given: Arguments = {
      dtype: "fp8_e4m3",
      cr: ["0=0x10", "1=-1"],
      lr: ["2=1_000"],
      load: ["a b.bin@0"],
      dump: ["c@d.bin@0x10:4"],
      maxCycles: "5",
    };
    assert.deepEqual(optionsOf(given), [
      ...["--dtype", "fp8_e4m3", "--cr", "0=0x10", "--cr", "1=-1", "--lr", "2=1_000"],
      ...["--load", "a b.bin@0", "--dump", "c@d.bin@0x10:4", "--max-cycles", "5"],
    ]);
  },

  "arguments that say nothing are forgotten": async () => {
    const kept = new Map<string, unknown>();
    const storage = {
      get: (key: string) => kept.get(key),
      update: async (key: string, value: unknown) => void kept.set(key, value),
      keys: () => [...kept.keys()],
    } as vscode.Memento;
    const remembered = new RunArguments(storage);
    const program = workspace("kernel.s");
    const nothing = { cr: [], lr: [], load: [], dump: [] };
    await remembered.remember(program, { ...nothing, lr: ["1=2"] });
    assert.deepEqual(remembered.of(program), { ...nothing, lr: ["1=2"] });
    assert.deepEqual(remembered.of(workspace("other.s")), nothing);
    await remembered.remember(program, nothing);
    assert.deepEqual([...kept.values()], [undefined]);
  },

  "a report is shown in the colours of the editor and can load nothing": async () => {
    const report =
      "<html><head><style>:root { color-scheme: light dark; }\n" +
      "@media (prefers-color-scheme: dark) { b { color: red; } }</style></head></html>";
    const { Light, Dark } = vscode.ColorThemeKind;
    for (const [kind, scheme, media] of [
      [Light, "color-scheme: light;", "@media not all"],
      [Dark, "color-scheme: dark;", "@media all"],
    ] as const) {
      const page = dressed(report, kind);
      assert.ok(page.includes(scheme) && page.includes(media), page);
      assert.ok(page.indexOf("default-src 'none'") < page.indexOf("<style>"), page);
    }
  },

  "the reference is open at the instruction under the cursor": async () => {
    await written("kernel.s", HALTING);
    await open("kernel.s");
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor);
    editor.selection = new vscode.Selection(1, 14, 1, 14);
    assert.equal(await command("openReference"), "str_acc_reg");
    editor.selection = new vscode.Selection(3, 0, 3, 0);
    assert.equal(await command("openReference"), null);
    await soon(tabs, (labels) => labels.includes("IPU instruction reference"));
  },

});


function request(format: string): object {
  return { format, output: workspace(`made.${format}`) };
}

async function assembled(format: string, name = "kernel.s"): Promise<string> {
  const made = await command<vscode.Uri>("assembleFile", name, request(format));
  return Buffer.from(await vscode.workspace.fs.readFile(made)).toString();
}

async function exists(name: string): Promise<boolean> {
  const names = await vscode.workspace.fs.readDirectory(workspace(""));
  return names.some(([found]) => found === name);
}
