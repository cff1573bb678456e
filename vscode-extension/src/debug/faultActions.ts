/** What one can do at a fault: go back to where its address was in range, and set inputs. */

import * as vscode from "vscode";
import { RunArguments } from "../commands/runArguments";
import { askArguments } from "../commands/runForm";
import { messageOf, type Parts } from "../parts";
import { DEBUG_TYPE } from "./configurations";
import { argumentsIn, launchFields } from "./rememberedInputs";

const BACK = "ipu.goBackInRange";
const INPUTS = "ipu.setInputs";
const AT_FAULT = "ipu.isAtFault";
const MOVES = new Set(["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue"]);

/** The part of the protocol's messages that is looked at. */
interface Message {
  readonly type: string;
  readonly event?: string;
  readonly command?: string;
  readonly body?: { readonly reason?: string };
}

/** Follows the debug sessions: two buttons of the tool bar are for a machine that stands at a fault. */
export class FaultActions implements vscode.Disposable {
  private readonly listeners: readonly vscode.Disposable[];

  constructor(private readonly parts: Parts) {
    this.listeners = [
      vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
        createDebugAdapterTracker: () => ({
          onDidSendMessage: (message: Message) => this.hear(message),
          onExit: () => this.set(false),
        }),
      }),
      vscode.commands.registerCommand(BACK, () => this.goBack()),
      vscode.commands.registerCommand(INPUTS, () => this.setInputs()),
    ];
  }

  dispose(): void {
    this.listeners.forEach((listener) => void listener.dispose());
  }

  private hear({ type, event, command, body }: Message): void {
    if (event === "stopped") {
      this.set(body?.reason === "exception");
    } else if (
      event === "continued" ||
      event === "terminated" ||
      (type === "response" && MOVES.has(command ?? ""))
    ) {
      this.set(false);
    }
  }

  private set(isAtFault: boolean): void {
    void vscode.commands.executeCommand("setContext", AT_FAULT, isAtFault);
  }

  private async goBack(): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    try {
      await session?.customRequest("evaluate", { expression: "inrange", context: "repl" });
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  /** Ask for the inputs of the program that is debugged, and start it with them. */
  private async setInputs(): Promise<boolean> {
    const session = vscode.debug.activeDebugSession;
    if (session?.type !== DEBUG_TYPE) {
      return false;
    }
    const { configuration } = session;
    const program = vscode.Uri.file(configuration.program);
    const remembered = new RunArguments(this.parts.context.workspaceState);
    const own = argumentsIn(configuration);
    const isOwn = Object.keys(own).length > 0;
    const changes = isOwn ? own : remembered.changes(program);
    const from = isOwn ? "this session" : undefined;
    const question = { program, verb: "Debug", changes, ...(from ? { from } : {}) };
    const answered = await askArguments(this.parts.server, question);
    if (!answered) {
      return false;
    }
    await remembered.rememberChanges(program, answered.given, answered.known);
    await vscode.debug.stopDebugging(session);
    const folder = configuration.cwd ?? program.fsPath.replace(/[\\/][^\\/]*$/, "");
    const fields = launchFields(answered.given, folder);
    const started = { ...configuration, ...fields };
    return vscode.debug.startDebugging(session.workspaceFolder, started);
  }
}
