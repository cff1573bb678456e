/** A language server that ends without having been asked to. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { extension, findings, open, runs, soon, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "a server that is killed comes back with what it knew": async () => {
    await open("mistaken.s");
    const { server } = await extension();
    const states = new Set<string>();
    const seen = server.onDidChangeState(() => states.add(server.state));
    const killed = await kill();
    await soon(() => server.processId, (now) => now !== killed && now !== undefined);
    await runs();
    const answer = await server.request<{ isa: string } | null>("ipu/slotGrid", {
      textDocument: { uri: workspace("mistaken.s").toString() },
    });
    assert.equal(answer?.isa, "ipu");
    await soon(() => findings("mistaken.s").length, (count) => count > 0);
    seen.dispose();
    assert.deepEqual(states, new Set(["starting", "running"]));
  },

  "a server that is killed again and again stays away until it is restarted": async () => {
    const { server } = await extension();
    for (let times = 0; times < 4; times++) {
      await kill();
      await soon(() => server.state, (state) => state === "running" || state === "failed");
    }
    await soon(() => server.state, (state) => state === "failed");
    await assert.rejects(server.request("ipu/slotGrid", {}), /log/);
    await vscode.commands.executeCommand("ipu.restartServer");
    await runs();
  },

  "the commands of the server are there after restarts": async () => {
    await vscode.commands.executeCommand("ipu.restartServer");
    await runs();
    const uri = workspace("mistaken.s").toString();
    const answer = await vscode.commands.executeCommand<{ findings: unknown[] }>("ipu.assemble", {
      uri,
    });
    assert.ok(answer.findings.length > 0);
  },
});

/** The number of the process that was killed. */
async function kill(): Promise<number> {
  const { server } = await extension();
  await runs();
  const running = server.processId;
  assert.ok(running);
  process.kill(running, "SIGKILL");
  await soon(() => server.processId, (now) => now !== running || server.state !== "running");
  return running;
}
