/** Where `ipu.trace.server` writes: a channel of its own, made when it is first wanted. */

import * as vscode from "vscode";

/**
 * A log channel for the client library. The library traces where the level of its channel is
 * `Trace`; ours has that level where the setting asks for a trace.
 */
export function traceChannel(subscriptions: vscode.Disposable[]): vscode.LogOutputChannel {
  const levels = new vscode.EventEmitter<vscode.LogLevel>();
  let channel: vscode.OutputChannel | undefined;
  const lines = () => (channel ??= vscode.window.createOutputChannel("IPU Assembly Protocol"));
  subscriptions.push(
    levels,
    new vscode.Disposable(() => channel?.dispose()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("ipu.trace.server")) {
        levels.fire(level());
      }
    }),
  );
  const write = (message: unknown) => lines().appendLine(String(message));
  return {
    name: "IPU Assembly Protocol",
    get logLevel() {
      return level();
    },
    onDidChangeLogLevel: levels.event,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: write,
    appendLine: write,
    replace: write,
    clear: () => channel?.clear(),
    show: () => lines().show(),
    hide: () => channel?.hide(),
    dispose: () => undefined,
  };
}

function level(): vscode.LogLevel {
  const wanted = vscode.workspace.getConfiguration("ipu").get("trace.server", "off");
  return wanted === "off" ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
}
