/** Shows the registers at the first stop of a session, without a click. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configurations";

const SHOW_VARIABLES = "workbench.debug.action.focusVariablesView";

/**
 * Opens the Variables view where the user wants it on a break.
 *
 * Code itself opens it after it has gone to the stopped frame. A view that is made for a frame that
 * is current already shows its scopes closed; one that was there before opens the first of them. So
 * it has to be there when the event arrives.
 */
export function showRegistersAtFirstStop(): vscode.Disposable {
  return vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
    createDebugAdapterTracker: () => {
      let isFirst = true;
      return {
        onDidSendMessage: ({ event }: { readonly event?: string }) => {
          if (event === "stopped" && isFirst) {
            isFirst = false;
            show();
          }
        },
      };
    },
  });
}

function show(): void {
  const wish = vscode.workspace.getConfiguration("debug").get("openDebug");
  if (wish === "openOnDebugBreak") {
    void vscode.commands.executeCommand(SHOW_VARIABLES, { preserveFocus: true });
  }
}
