/** What is asked of the adapter. */

import type * as vscode from "vscode";
import type { Card, Listed, Pin, Vector } from "./messages";

/** The registers that can be pinned. */
export async function listed(session: vscode.DebugSession): Promise<readonly Listed[]> {
  const { vectors } = await session.customRequest("ipu/vectors");
  return vectors;
}

/** What a pin shows now. The adapter's refusal is a sentence for the user. */
export async function looked(session: vscode.DebugSession, pin: Pin): Promise<Card> {
  const { name, type, mask } = pin;
  try {
    const vector: Vector = await session.customRequest("ipu/vector", { name, type, mask });
    return { pin, vector };
  } catch (error) {
    return { pin, problem: (error as Error).message };
  }
}

/** A line in the debug console, and what it answers. */
export async function inConsole(session: vscode.DebugSession, line: string): Promise<string> {
  try {
    const answer = await session.customRequest("evaluate", { expression: line, context: "repl" });
    return answer.result;
  } catch (error) {
    return (error as Error).message;
  }
}
