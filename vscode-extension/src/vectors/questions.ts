/** What is asked of the adapter. */

import type * as vscode from "vscode";
import { messageOf } from "../parts";
import type { Card, Listed, Pin, Vector } from "./messages";

/** The registers that can be pinned. */
export async function listed(session: vscode.DebugSession): Promise<readonly Listed[]> {
  const { vectors } = await session.customRequest("ipu/vectors");
  return vectors;
}

/** The files that the launch expects in memory. */
export async function expectedFiles(session: vscode.DebugSession): Promise<readonly string[]> {
  const { expected } = await session.customRequest("ipu/vectors");
  return (expected as readonly { name: string }[] | undefined)?.map(({ name }) => name) ?? [];
}

/** What a pin shows now. The adapter's refusal is a sentence for the user. */
export async function looked(session: vscode.DebugSession, pin: Pin): Promise<Card> {
  const { name, type, mask, expected } = pin;
  try {
    const vector: Vector = await session.customRequest("ipu/vector", {
      name,
      type,
      mask,
      expected,
    });
    return { pin, vector };
  } catch (error) {
    return { pin, problem: messageOf(error) };
  }
}

/** A line in the debug console, and what it answers. */
export async function inConsole(session: vscode.DebugSession, line: string): Promise<string> {
  try {
    const answer = await session.customRequest("evaluate", { expression: line, context: "repl" });
    return answer.result;
  } catch (error) {
    return messageOf(error);
  }
}
