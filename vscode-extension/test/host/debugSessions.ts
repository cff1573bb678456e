/** Debug sessions of tests: started, waited for, asked and ended. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { soon, workspace } from "./extension";

/** A kernel with a loop, a note and a vector. */
export const KERNEL = `# lr1 = row
set lr5 2; ldr_mult_reg r0 lr1 cr0;;
loop:
  incr lr1 1; mult.ee r0 lr0 lr0 lr0; acc;;
  blt lr1 lr5 loop;;
bkpt;;
`;

/** What an adapter said that the tests look at. */
interface Said {
  readonly type: string;
  readonly event?: string;
  readonly body?: { readonly reason?: string; readonly output?: string };
}

/** The messages of all adapters, the last one last. */
const said: Said[] = [];

vscode.debug.registerDebugAdapterTrackerFactory("ipu", {
  createDebugAdapterTracker: () => ({ onDidSendMessage: (message: Said) => said.push(message) }),
});

/** How often a machine has stopped so far. */
export function stops(): number {
  return said.filter(({ event }) => event === "stopped").length;
}

/** Why the last stop was one. */
export function lastReason(): string | undefined {
  return said.filter(({ event }) => event === "stopped").at(-1)?.body?.reason;
}

/** The session that a way to start one leads to, once its machine stands. */
export async function started(start: () => Thenable<unknown>): Promise<vscode.DebugSession> {
  await ended();
  const before = stops();
  await start();
  await soon(stops, (count) => count > before);
  const session = vscode.debug.activeDebugSession;
  assert.equal(session?.type, "ipu");
  return session;
}

/** A session of a kernel of the opened folder that stands in front of its first bundle. */
export function standing(name: string, more: object = {}): Promise<vscode.DebugSession> {
  const configuration = { type: "ipu", request: "launch", name, program: workspace(name).fsPath };
  const folder = vscode.workspace.workspaceFolders?.[0];
  return started(() =>
    vscode.debug.startDebugging(folder, { ...configuration, stopOnEntry: true, ...more }),
  );
}

/** Let the machine do something, and wait until it stands again. */
export async function moved(session: vscode.DebugSession, command: string): Promise<void> {
  const before = stops();
  await session.customRequest(command, { threadId: 1 });
  await soon(stops, (count) => count > before);
}

/** What an expression is worth. */
export async function value(session: vscode.DebugSession, expression: string): Promise<string> {
  return (await session.customRequest("evaluate", { expression, context: "watch" })).result;
}

/** End all sessions. */
export async function ended(): Promise<void> {
  await vscode.debug.stopDebugging();
  await soon(() => vscode.debug.activeDebugSession?.id, (id) => id === undefined);
}
