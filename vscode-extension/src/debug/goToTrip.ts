/** The command that takes the machine to another trip of the loop that it is in. */

import * as vscode from "vscode";
import { messageOf } from "../parts";
import { DEBUG_TYPE } from "./configurations";

/** Ask for a trip, unless it is given, and go there. What the adapter refuses is asked again. */
export async function goToTrip(given?: unknown): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== DEBUG_TYPE) {
    return;
  }
  let trip = typeof given === "string" ? given : await asked(await loops(session));
  while (trip) {
    try {
      await session.customRequest("evaluate", { expression: `trip ${trip}`, context: "repl" });
      return;
    } catch (error) {
      const message = messageOf(error).replaceAll("`", "");
      trip = await asked(message, trip);
    }
  }
}

function asked(prompt: string, value = "+1"): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Go to trip of the loop",
    prompt,
    value,
    placeHolder: "42, +10, -1, or 3 outer for the loop at that label",
  });
}

/** What the call stack says of the loops around the next bundle. */
async function loops(session: vscode.DebugSession): Promise<string> {
  const { stackFrames } = await session.customRequest("stackTrace", { threadId: 1 });
  const names: readonly string[] = stackFrames.map(({ name }: { name: string }) => name);
  const trips = names.filter((name) => / trip [\d,]+ of /.test(name));
  return trips.length
    ? `Now in ${trips.join("; ")}. A number, +10, -1, or a number and a label.`
    : "The trips of this loop are not known, or the machine is in none.";
}
