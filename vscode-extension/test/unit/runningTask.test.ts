/** Tasks that end, that have no process, and that are never started. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import { runToEnd } from "../../src/commands/run";
import { taskEvents } from "./vscode";

const TASK = {} as vscode.Task;
const OURS = { name: "ours" };

function tell(event: string, told: object): void {
  taskEvents.listeners.get(event)?.(told);
}

/** Starts the task; what is told before its execution is known is told by `early`. */
function started(early: () => void = () => undefined): Promise<number | undefined> {
  taskEvents.execute = () => {
    early();
    return Promise.resolve(OURS);
  };
  return runToEnd(TASK);
}

/** Until promises that are fulfilled have gone as far as they can. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("the status of a process is that of the task, and others are not heard", async () => {
  const ended = started(() => tell("start", { execution: OURS }));
  await settled();
  tell("process", { execution: { name: "another" }, exitCode: 3 });
  tell("process", { execution: OURS, exitCode: 1 });
  tell("end", { execution: OURS });
  assert.equal(await ended, 1);
  assert.equal(taskEvents.listeners.size, 0);
});

test("a process that ends before its execution is known is heard", async () => {
  assert.equal(await started(() => tell("process", { execution: OURS, exitCode: 0 })), 0);
});

test("a task that ends without a process is not waited for", async () => {
  const ended = started();
  await settled();
  tell("end", { execution: OURS });
  assert.equal(await ended, undefined);
});

test("a task that is never started is not waited for, one that is running is", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const never = started();
  await settled();
  context.mock.timers.tick(30_000);
  await assert.rejects(never, /has not started/);
  assert.equal(taskEvents.listeners.size, 0);
  const running = started(() => tell("start", { execution: OURS }));
  await settled();
  context.mock.timers.tick(30_000);
  tell("process", { execution: OURS, exitCode: 0 });
  assert.equal(await running, 0);
});
