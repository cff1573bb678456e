/** The Vectors view: what it asks the adapter, and what its page makes of the answers. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Pin, Vector } from "../../src/vectors/messages";
import { Pins } from "../../src/vectors/pins";
import { inConsole, listed, looked } from "../../src/vectors/questions";
import { Stops } from "../../src/vectors/stops";
import {
  addressOf,
  differenceText,
  elementsOf,
  sentenceAbout,
} from "../../src/webviews/vectors/elements";
import { scaleOf } from "../../src/webviews/vectors/scale";
import { shortened, spelt } from "../../src/webviews/vectors/shortened";
import { ended, moved, standing, stops as stopCount } from "./debugSessions";
import { extension, soon, workspace } from "./extension";
import { tabs, written } from "./steps";
import { suite } from "./suite";

const KERNEL = "ldr_mult_reg r0 lr0 cr0;;\nldr_mult_mask_reg lr0 cr0;;\nbkpt;;\n";
const NUMBERS = [
  23457, 23456.7, -23456, 1234567, -2147483648, 0.13671875, -0.13671875, 1e-5, 1e30, 0, NaN,
];
const ROW = Array.from({ length: 128 }, (_, index) => (index * 3) & 0xff);

export const run = suite({
  "all that can be pinned has a picture in all its types": async () => {
    const session = await atStart();
    const registers = await listed(session);
    assert.ok(registers.length > 10);
    for (const { name, types, elements, type } of registers) {
      assert.equal((await vectorOf(session, { name })).elements.length, elements);
      assert.ok(types.includes(type));
      for (const other of types) {
        assert.equal((await vectorOf(session, { name, type: other })).type, other);
      }
    }
  },

  "what changed is told with what it was": async () => {
    const session = await atStart();
    await moved(session, "next");
    const vector = await vectorOf(session, { name: "r0", type: "uint8" });
    const elements = elementsOf(vector);
    assert.deepEqual(elements.map(({ value }) => value), ROW);
    const [first, second] = elements;
    assert.ok(first && second);
    assert.equal(first.before, undefined);
    assert.equal(second.before, "0");
    assert.equal(differenceText(first), "0");
    assert.equal(differenceText(second), "+3");
    assert.equal(sentenceAbout(second), "r0[1 : u8] = 3, 0x03, was 0");
    assert.equal(addressOf(vector, 17), "byte 0x11 of r0");
  },

  "a mask tells which elements it suppresses": async () => {
    const session = await atStart();
    await moved(session, "next");
    await moved(session, "next");
    const masked = elementsOf(await vectorOf(session, { name: "r0", mask: "mask[0]" }));
    const bits = elementsOf(await vectorOf(session, { name: "mask[0]" }));
    const suppressed = masked.filter(({ isMasked }) => isMasked).map(({ index }) => index);
    const set = bits.filter(({ value }) => value).map(({ index }) => index);
    assert.deepEqual(suppressed, set);
    assert.ok(set.length);
  },

  "memory has addresses, and its author is told": async () => {
    const session = await atStart();
    const vector = await vectorOf(session, { name: "xmem[cr1 .. +16]" });
    assert.equal(vector.path, "xmem[0x40 .. +16]");
    assert.equal(addressOf(vector, 2), "xmem 0x42");
    await moved(session, "next");
    const author = await inConsole(session, "who r0[3]");
    assert.match(author, /was last written by ldr_mult_reg r0 lr0 cr0 in bundle 0/);
  },

  "only what is a vector can be pinned from the list of variables": async () => {
    const session = await atStart();
    const { scopes } = await session.customRequest("scopes", { frameId: 1 });
    const pinned: string[] = [];
    for (const { name, variablesReference } of scopes.slice(0, 4)) {
      const { variables } = await session.customRequest("variables", { variablesReference });
      const found = variables.filter((each: Variable) => each.__vscodeVariableMenuContext);
      pinned.push(`${name}: ${found.map((each: Variable) => each.name).join(" ")}`);
    }
    assert.deepEqual(pinned, [
      "Loop registers: ",
      "Config registers: ",
      "AAQ: aaq_result",
      "Vectors: r0 r1 mem_bypass r_cyclic mult_res r_acc",
    ]);
  },

  "what cannot be shown is told in a sentence": async () => {
    const session = await atStart();
    const card = await looked(session, { id: 1, name: "lr0" });
    assert.equal(card.problem, "a vector is several elements or one mask, found lr0");
    assert.match(await inConsole(session, "who nothing"), /is called nothing/);
  },

  "pins are remembered, each once": async () => {
    const pins = new Pins(memento());
    assert.deepEqual(pins.all.map(({ name }) => name), ["r0", "r_acc", "x0", "dm0"]);
    await pins.add("mask[3]");
    await pins.add("r0");
    await pins.change(1, { type: "uint8", isTable: true });
    await pins.remove(2);
    const kept = ["1 r0", "3 x0", "4 dm0", "5 mask[3]"];
    assert.deepEqual(pins.all.map(({ id, name }) => `${id} ${name}`), kept);
    assert.equal(pins.find(1)?.type, "uint8");
  },

  "a shade is deep where a number is far from zero": async () => {
    const scale = scaleOf([-10, 0, 5, NaN, Infinity]);
    assert.deepEqual([scale.least, scale.most], [-10, 5]);
    assert.deepEqual([-10, 0, 5, Infinity].map(scale.shade), [-1, 0, 0.5, 1]);
    assert.ok(Number.isNaN(scale.shade(NaN)));
    assert.equal(scaleOf([0, 0]).shade(0), 0);
    assert.equal(scaleOf([]).shade(3), 1);
  },

  "on a logarithmic scale small numbers differ in shade": async () => {
    const { shade } = scaleOf([-1000, 1, 0.001, 0], true);
    const shades = [-1000, 1, 0.01, 0, Infinity].map(shade);
    assert.deepEqual(shades.map((each) => each.toFixed(2)), ["-1.00", "0.50", "0.17", "0.00", "1.00"]);
  },

  "a number that does not fit is shortened, and never blank": async () => {
    const texts = (letters: number) => NUMBERS.map((number) => shortened(number, letters));
    assert.deepEqual(texts(5), [
      "23457", "23457", "-23k", "1.23M", "-2.1G", ".1367", "-.137", "1e-5", "1e30", "0", "NaN",
    ]);
    for (let letters = 4; letters < 12; letters++) {
      assert.ok(texts(letters).every((text) => text && text.length <= letters));
    }
    assert.deepEqual(["nan", "-inf", "0.0 → nan", "1.5"].map(spelt), ["NaN", "-∞", "0.0 → NaN", "1.5"]);
  },

  "a difference to no number tells both": async () => {
    const session = await atStart();
    await inConsole(session, "acc[0 : f32] = nan");
    await inConsole(session, "acc[1 : f32] = -1.5");
    const elements = elementsOf(await vectorOf(session, { name: "acc", type: "float32" }));
    const [nan, number] = elements;
    assert.ok(nan && number);
    assert.ok(Number.isNaN(nan.value));
    assert.equal(differenceText({ ...nan, before: "0.0", difference: NaN }), "0.0 → NaN");
    assert.equal(differenceText({ ...number, before: "0.1", difference: -1.6000000015 }), "-1.6");
  },

  "the view follows the machine": async () => {
    await ended();
    const stops = new Stops();
    assert.equal(stops.phase, "none");
    const session = await atStart();
    await soon(() => stops.phase, (phase) => phase === "standing");
    assert.equal(stops.session?.id, session.id);
    await moved(session, "next");
    assert.equal(stops.number, 2);
    await ended();
    await soon(() => stops.phase, (phase) => phase === "ended");
    stops.dispose();
  },

  "the panel is opened once, also without a session": async () => {
    await extension();
    await vscode.commands.executeCommand("ipu.showVectors");
    await vscode.commands.executeCommand("ipu.showVectors");
    await soon(tabs, (labels) => labels.filter((label) => label === "Vectors").length === 1);
  },
});

interface Variable {
  readonly name: string;
  readonly __vscodeVariableMenuContext?: string;
}

/** A machine in front of its first bundle, with something to load at the start of memory. */
async function atStart(): Promise<vscode.DebugSession> {
  const running = vscode.debug.activeDebugSession;
  if (running) {
    const before = stopCount();
    await inConsole(running, "goto 0");
    await soon(stopCount, (count) => count > before);
    return running;
  }
  await written("kernel.s", KERNEL);
  await vscode.workspace.fs.writeFile(workspace("row.bin"), new Uint8Array(ROW));
  const load = [{ file: workspace("row.bin").fsPath, address: 0 }];
  return standing("kernel.s", { load, cr: { "1": "0x40" } });
}

async function vectorOf(session: vscode.DebugSession, pin: Omit<Pin, "id">): Promise<Vector> {
  const { vector, problem } = await looked(session, { id: 1, ...pin });
  assert.ok(vector, problem);
  return vector;
}

function memento(): vscode.Memento {
  const kept = new Map<string, unknown>();
  return {
    get: (key: string, otherwise?: unknown) => kept.get(key) ?? otherwise,
    update: async (key: string, value: unknown) => void kept.set(key, value),
    keys: () => [...kept.keys()],
  } as vscode.Memento;
}
