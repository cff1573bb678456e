/** The commands about a whole program, with their arguments given instead of asked for. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { arrayInFile, arrayOf, arraysOf } from "../../src/commands/formData";
import { saveLaunch } from "../../src/commands/launchFile";
import { prefilled } from "../../src/commands/prefill";
import { type Arguments, changesOf, NONE, optionsOf, RunArguments } from "../../src/commands/runArguments";
import type { Server } from "../../src/parts";
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

  "a .S file opens as Colossus where its content says so": async () => {
    await runs();
    await written("worker.S", "#ifdef __IPU__\n  zero $a0 // of MIPS, too\n#endif\n");
    const other = "li $a0, 1\n";
    await written("mips.S", other);
    const worker = await vscode.workspace.openTextDocument(workspace("worker.S"));
    await soon(() => languageOf("worker.S"), (language) => language === "colossus-asm");
    const mips = await vscode.workspace.openTextDocument(workspace("mips.S"));
    assert.equal(mips.languageId, "ipu-asm");
    await vscode.languages.setTextDocumentLanguage(worker, "plaintext");
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(languageOf("worker.S"), "plaintext");
    const colours = vscode.workspace.getConfiguration("editor", {
      uri: workspace("worker.S"),
      languageId: "colossus-asm",
    });
    assert.equal(colours.get("defaultColorDecorators"), "never");
  },

  "a .S file that was closed opens as Colossus again": async () => {
    await runs();
    await written("again.S", "    exitz $mzero\n");
    for (let time = 0; time < 2; time++) {
      // As a person opens it: what the API opens stays for minutes.
      await vscode.commands.executeCommand("vscode.open", workspace("again.S"));
      await soon(() => languageOf("again.S"), (language) => language === "colossus-asm");
      await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
      await soon(() => languageOf("again.S"), (language) => language === undefined);
    }
  },

  "arguments are passed as they were typed": async () => {
    const given: Arguments = {
      dtype: "fp8_e4m3",
      cr: ["0=0x10", "1=-1"],
      lr: ["2=1_000"],
      load: ["a b.bin@0"],
      dump: ["c@d.bin@0x10:4"],
      expect: ["e.npz[f]@0x20:i8"],
      maxCycles: "5",
    };
    assert.deepEqual(optionsOf(given), [
      ...["--dtype", "fp8_e4m3", "--cr", "0=0x10", "--cr", "1=-1", "--lr", "2=1_000"],
      ...["--load", "a b.bin@0", "--dump", "c@d.bin@0x10:4", "--expect", "e.npz[f]@0x20:i8"],
      ...["--max-cycles", "5"],
    ]);
  },

  "arguments are saved as a launch configuration, with paths below the folder": async () => {
    const data = workspace("data/a.npy").fsPath;
    const given: Arguments = {
      ...NONE,
      dtype: "int8",
      cr: ["0=0x10", "3=-1"],
      load: [`${data}@0x20:2x64:i8`, "random:7@0x100:i8:8", "b.npz[x]@0"],
      maxCycles: "1_000",
    };
    await written("saved.s", HALTING);
    const launches = () => vscode.workspace.getConfiguration("launch", workspace("saved.s"));
    const made = () => launches().get<vscode.DebugConfiguration[]>("configurations") ?? [];
    assert.equal(await saveLaunch(workspace("saved.s"), { ...given, dtype: "fp8_e4m3" }), true);
    assert.equal(await saveLaunch(workspace("saved.s"), given), true);
    await soon(() => made().length, (count) => count === 1);
    assert.deepEqual(made()[0], {
      type: "ipu",
      request: "launch",
      name: "saved.s",
      program: "${workspaceFolder}/saved.s",
      dtype: "int8",
      cr: { "0": "0x10", "3": "-1" },
      load: [
        { file: "${workspaceFolder}/data/a.npy", address: "0x20", length: "2x64", dtype: "i8" },
        { file: "random:7", address: "0x100", length: "8", dtype: "i8" },
        { file: "${workspaceFolder}/b.npz[x]", address: "0" },
      ],
      maxCycles: "1_000",
    });
    await launches().update("configurations", undefined, vscode.ConfigurationTarget.WorkspaceFolder);
  },

  "the type and the shape of an array are read from its file": async () => {
    const header = (shape: string) =>
      Buffer.from(`\x93NUMPY\x01\x00v\x00{'descr': '|i1', 'shape': (${shape}), }`, "latin1");
    assert.equal(arrayOf(header("10, 128")), "|i1 10x128");
    assert.equal(arrayOf(header("")), "|i1 scalar");
    assert.equal(arrayOf(header("10").subarray(1)), undefined);
    assert.equal(await arrayInFile(workspace("missing.npy").fsPath), undefined);
  },

  "the names of arrays are read from their archive": async () => {
    const entry = (name: string) => {
      const header = Buffer.alloc(46);
      header.writeUInt32LE(0x02014b50);
      header.writeUInt16LE(name.length, 28);
      return Buffer.concat([header, Buffer.from(name)]);
    };
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50);
    const archive = Buffer.concat([entry("dense.npy"), entry("notes.txt"), entry("bias.npy"), end]);
    assert.deepEqual(arraysOf(archive), ["dense", "bias"]);
    assert.deepEqual(arraysOf(archive.subarray(0, 90)), []);
  },

  "a form begins with the last run, then a configuration, then the head comment": async () => {
    const register = { purpose: "", words: "" };
    const answer = {
      registers: [
        { ...register, name: "cr0", value: 0x1000, origin: "header", words: "in at 0x1000" },
        { ...register, name: "cr1", value: 5, origin: "ipu.toml" },
        { ...register, name: "cr2", value: null, origin: "" },
        { ...register, name: "cr3", value: null, origin: "" },
      ],
      load: [{ text: "random:1@0x1000:128", origin: "header", region: "in" }],
      expect: [],
      options: [{ name: "dtype" }, { name: "wide" }],
      settings: { dtype: "int8", wide: "fp32" },
      define: {},
      origin: "/w/ipu.toml",
      missing: ["cr2", "cr3"],
      unknown: [],
    };
    const server = { request: async () => answer } as unknown as Server;
    const found = await prefilled(server, workspace("kernel.s"), { cr: ["1=6", "2=7"] });
    assert.deepEqual(found.given.cr, ["0=0x1000", "1=6", "2=7"]);
    assert.deepEqual(found.missing, ["cr3"]);
    assert.equal(found.origins.get("cr0"), "head comment: in at 0x1000");
    assert.equal(found.origins.get("cr1"), "last run");
    assert.equal(found.origins.get("random:1@0x1000:128"), "in, made up, head comment");
    assert.equal(found.origins.get("dtype"), "ipu.toml");
    assert.equal(found.generated.get("random:1@0x1000:128"), "in");
    assert.deepEqual(changesOf(found.given, found.known), { cr: ["1=6", "2=7"] });
    assert.deepEqual(optionsOf(found.given).slice(0, 4), ["--dtype", "int8", "--wide", "fp32"]);
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
    const nothing = { cr: [], lr: [], load: [], dump: [], expect: [] };
    await remembered.remember(program, { ...nothing, lr: ["1=2"] });
    assert.deepEqual(remembered.of(program), { ...nothing, lr: ["1=2"] });
    assert.deepEqual(remembered.of(workspace("other.s")), nothing);
    await remembered.remember(program, nothing);
    assert.deepEqual([...kept.values()], [undefined]);
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

function languageOf(name: string): string | undefined {
  const uri = `${workspace(name)}`;
  return vscode.workspace.textDocuments.find((document) => `${document.uri}` === uri)?.languageId;
}
