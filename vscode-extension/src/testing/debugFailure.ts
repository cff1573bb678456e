/** The debugger at the cycle that a failed kernel test is about. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "../debug/configurations";
import { nameOf } from "../commands/subject";
import { inConsole } from "../vectors/questions";
import type { Replay } from "./events";

/** Repeat the run of a failed test in the debugger, and go to its cycle; false if it cannot start. */
export async function debugReplay({ launch, cycle }: Replay): Promise<boolean> {
  const program = vscode.Uri.file(String(launch.program));
  const folder = vscode.workspace.getWorkspaceFolder(program);
  const name = `Failed test of ${nameOf(program)}`;
  const stops = cycle === null ? { stopOnHalt: true } : { stopOnEntry: true };
  const configuration = { type: DEBUG_TYPE, request: "launch", name, ...stops, ...launch };
  const stop = cycle === null ? undefined : firstStop(name);
  try {
    if (!(await vscode.debug.startDebugging(folder, configuration))) {
      return false;
    }
    const session = await stop?.session;
    if (session) {
      await inConsole(session, `goto ${cycle}`);
      // A debugger that tests start stays after the view that the user has come from.
      await vscode.commands.executeCommand("workbench.view.debug");
    }
    return true;
  } finally {
    stop?.dispose();
  }
}

interface FirstStop extends vscode.Disposable {
  /** The session once it has stopped; undefined if it ends before. */
  readonly session: Promise<vscode.DebugSession | undefined>;
}

/** Waits for the first stop of the session of that name. */
function firstStop(name: string): FirstStop {
  let registered: vscode.Disposable | undefined;
  const session = new Promise<vscode.DebugSession | undefined>((resolve) => {
    registered = vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
      createDebugAdapterTracker(session) {
        if (session.name !== name) {
          return undefined;
        }
        return {
          onDidSendMessage(message: { type: string; event?: string }) {
            if (message.type === "event" && message.event === "stopped") {
              resolve(session);
            }
          },
          onExit: () => resolve(undefined),
          onWillStopSession: () => resolve(undefined),
        };
      },
    });
  });
  return { session, dispose: () => registered?.dispose() };
}
