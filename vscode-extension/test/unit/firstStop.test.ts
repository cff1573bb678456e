/** The Variables view at the first stop of a session, by the messages of the session. */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import type * as vscode from "vscode";
import { showRegistersAtFirstStop } from "../../src/debug/firstStop";
import { editor } from "./vscode";

const [LONG, SHORT] = [3_000, 500];

let now = 0;
let memento: vscode.Memento;
let registered: vscode.Disposable;

beforeEach(() => {
  const kept = new Map<string, unknown>();
  memento = {
    keys: () => [...kept.keys()],
    get: (key: string, otherwise?: unknown) => (kept.has(key) ? kept.get(key) : otherwise),
    update: (key: string, value: unknown) => Promise.resolve(void kept.set(key, value)),
  } as vscode.Memento;
  mock.method(Date, "now", () => now);
  editor.settings = { openDebug: "openOnDebugBreak" };
  registered = showRegistersAtFirstStop(memento);
});

afterEach(() => {
  registered.dispose();
  mock.restoreAll();
});

/** A session; each stop has what is asked for at it, and takes so long. Returns what was shown. */
function session(...stops: readonly (readonly [number, ...string[]])[]): number {
  editor.executed = [];
  const [factory] = editor.trackers;
  const tracker = factory?.createDebugAdapterTracker({}) as vscode.DebugAdapterTracker;
  for (const [duration, ...commands] of stops) {
    tracker.onDidSendMessage?.({ type: "event", event: "stopped" });
    for (const command of ["stackTrace", "scopes", ...commands]) {
      tracker.onWillReceiveMessage?.({ type: "request", command });
    }
    now += duration;
    tracker.onWillReceiveMessage?.({ type: "request", command: "next" });
  }
  return editor.executed.length;
}

test("the view is shown at the first stop of each session", () => {
  assert.equal(session([LONG, "variables"], [LONG, "variables"]), 1);
  assert.equal(session([LONG, "variables"]), 1);
});

test("one that was closed stays so in the next sessions", () => {
  session([LONG, "variables"], [LONG]);
  assert.equal(session([LONG]), 0);
  assert.equal(session([LONG]), 0);
});

test("one that is opened again is shown from then on", () => {
  session([LONG, "variables"], [LONG]);
  assert.equal(session([LONG], [SHORT, "variables"]), 0);
  assert.equal(session([LONG, "variables"]), 1);
});

test("stops that Code has no time to show are no sign of a closed one", () => {
  session([LONG, "variables"], [SHORT], [SHORT]);
  assert.equal(session([LONG, "variables"]), 1);
});

test("a first stop at which it was opened is no sign", () => {
  session([LONG]);
  assert.equal(session([LONG]), 1);
});

test("it is left alone where breaks open nothing", () => {
  editor.settings = { openDebug: "neverOpen" };
  assert.equal(session([LONG]), 0);
});
