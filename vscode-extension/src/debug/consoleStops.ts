/** Keeps the keyboard in the debug console, whose commands move the machine as well. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configurations";

const FOCUS_CONSOLE = "workbench.panel.repl.view.focus";

/** The part of the protocol's messages that is looked at. */
interface Message {
  readonly event?: string;
  readonly command?: string;
  readonly arguments?: { readonly context?: string; readonly frameId?: number };
}

/**
 * Gives the keyboard back to the console at a stop that one of its commands has caused. Code goes to
 * the stopped line and takes the keyboard along: what is typed next would land in the source.
 */
export function keepConsoleFocused(): vscode.Disposable {
  let isTyped = false;
  let isStopped = false;
  return vscode.Disposable.from(
    vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
      createDebugAdapterTracker: () => ({
        onWillReceiveMessage({ command, arguments: given }: Message): void {
          if (command === "evaluate" && given?.context === "repl") {
            // The commands of this extension ask without a frame.
            isTyped = given.frameId !== undefined;
          }
        },
        onDidSendMessage({ event }: Message): void {
          if (event === "stopped") {
            isStopped = isTyped;
            isTyped = false;
          }
        },
      }),
    }),
    vscode.debug.onDidChangeActiveStackItem((item) => {
      if (isStopped && item instanceof vscode.DebugStackFrame) {
        isStopped = false;
        void vscode.commands.executeCommand(FOCUS_CONSOLE);
      }
    }),
  );
}
