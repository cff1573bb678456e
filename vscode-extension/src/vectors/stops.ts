/** Which machine to look at, and whether it stands still. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "../debug/configurations";
import type { Phase } from "./messages";

const MOVES = new Set(["continue", "next", "stepIn", "stepOut", "stepBack", "reverseContinue"]);

/** The part of the protocol's messages that is looked at. */
interface Message {
  readonly type: string;
  readonly event?: string;
  readonly command?: string;
  readonly success?: boolean;
  readonly body?: { readonly areas?: readonly string[] };
}

/** Follows the debug session that stopped last. */
export class Stops implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** There is something else to see, perhaps only another phase. */
  readonly onDidChange = this.changed.event;

  private current: vscode.DebugSession | undefined;
  private currentPhase: Phase = "none";
  private count = 0;
  private readonly factory: vscode.Disposable;

  constructor() {
    this.factory = vscode.debug.registerDebugAdapterTrackerFactory(DEBUG_TYPE, {
      createDebugAdapterTracker: (session) => ({
        onDidSendMessage: (message: Message) => this.hear(session, message),
        onExit: () => this.end(session),
        onWillStopSession: () => this.end(session),
      }),
    });
  }

  /** The session to ask; undefined where none has stopped yet. */
  get session(): vscode.DebugSession | undefined {
    return this.current;
  }

  get phase(): Phase {
    return this.currentPhase;
  }

  /** How often a machine has stopped. */
  get number(): number {
    return this.count;
  }

  dispose(): void {
    this.factory.dispose();
    this.changed.dispose();
  }

  private hear(session: vscode.DebugSession, message: Message): void {
    if (message.event === "stopped") {
      this.count++;
      this.set(session, "standing");
    } else if (message.event === "terminated") {
      this.end(session);
    } else if (session === this.current) {
      this.hearOfCurrent(session, message);
    }
  }

  private hearOfCurrent(session: vscode.DebugSession, message: Message): void {
    const hasMoved = message.success && MOVES.has(message.command ?? "");
    if (message.event === "continued" || hasMoved) {
      this.set(session, "running");
    } else if (message.event === "invalidated" && message.body?.areas?.includes("variables")) {
      this.changed.fire();
    }
  }

  private end(session: vscode.DebugSession): void {
    if (session === this.current && this.currentPhase !== "ended") {
      this.set(session, "ended");
    }
  }

  private set(session: vscode.DebugSession, phase: Phase): void {
    this.current = session;
    this.currentPhase = phase;
    this.changed.fire();
  }
}
