/** Shows the registers at the first stop of a session, without a click. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configurations";

const SHOW_VARIABLES = "workbench.debug.action.focusVariablesView";
const KEY = "ipu.variablesAreClosed";
const RESUMES = new Set([
  ...["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue"],
  ...["goto", "restart", "terminate", "disconnect"],
]);
/** The view asks for variables when stepping has paused for 400 ms; with time for a slow machine. */
const SETTLED_MS = 1_500;

/**
 * Opens the Variables view where the user wants it on a break, and did not close it.
 *
 * Code itself opens it after it has gone to the stopped frame. A view that is made for a frame that
 * is current already shows its scopes closed; one that was there before opens the first of them. So
 * it has to be there when the event arrives.
 */
export function showRegistersAtFirstStop(memento: vscode.Memento): vscode.Disposable {
  return vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
    createDebugAdapterTracker: () => new VariablesTracker(memento),
  });
}

/**
 * The stops of a session, and whether the view shows variables at them.
 *
 * No extension can ask Code whether a view is open. One that is asks for variables at each stop. If
 * a stop of some duration, at which we did not open it, goes by without, the user keeps it closed:
 * the next session in this workspace leaves it so, until variables are asked for again.
 */
class VariablesTracker implements vscode.DebugAdapterTracker {
  private isFirst = true;
  private wasOpened = false;
  private wereAsked = false;
  private since: number | undefined;

  constructor(private readonly memento: vscode.Memento) {}

  onDidSendMessage({ event }: { readonly event?: string }): void {
    if (event !== "stopped") {
      return;
    }
    this.wasOpened = this.isFirst && !this.memento.get(KEY, false) && show();
    this.isFirst = this.wereAsked = false;
    this.since = Date.now();
  }

  onWillReceiveMessage({ command = "" }: { readonly command?: string }): void {
    if (command === "variables") {
      this.wereAsked = true;
    } else if (RESUMES.has(command)) {
      this.learn();
      this.since = undefined;
    }
  }

  private learn(): void {
    const isSettled = this.since !== undefined && Date.now() - this.since >= SETTLED_MS;
    if (this.wereAsked || (isSettled && !this.wasOpened)) {
      void this.memento.update(KEY, !this.wereAsked);
    }
  }
}

function show(): boolean {
  const wish = vscode.workspace.getConfiguration("debug").get("openDebug");
  if (wish !== "openOnDebugBreak") {
    return false;
  }
  void vscode.commands.executeCommand(SHOW_VARIABLES, { preserveFocus: true });
  return true;
}
