/** The language server of a window: started, stopped, restarted, watched. */

import * as vscode from "vscode";
import { State } from "vscode-languageclient";
import {
  type CommandLine,
  messageOf,
  type Server,
  type ServerState,
  type Toolchain,
  ToolchainError,
} from "../parts";
import type { Client, ClientClass, ClientSetup } from "./client";

/** The server as the extension's entry sees it. */
export interface ServerControl extends Server {
  /** What it was started with last. */
  readonly line: CommandLine | undefined;
  readonly processId: number | undefined;
  /** Why it could not be started, as a sentence that the user has seen. */
  readonly problem: string | undefined;
  start(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** All starts, stops and looks at the toolchain that were asked for so far are done. */
  settled(): Promise<void>;
}

/** A server that is not started yet. It follows the toolchain. */
export function createServer(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  toolchain: Toolchain,
  client: ClientClass,
): ServerControl {
  const trace = traceChannel(context.subscriptions);
  const server = new WindowServer({ context, log, trace }, toolchain, client);
  context.subscriptions.push(server, toolchain.onDidChange(() => void server.follow()));
  return server;
}

class WindowServer implements ServerControl, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeState = this.changed.event;

  line: CommandLine | undefined;
  problem: string | undefined;
  private current: ServerState = "stopped";
  private client: Client | undefined;
  /** Starts and stops happen one after the other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly setup: ClientSetup,
    private readonly toolchain: Toolchain,
    private readonly newClient: ClientClass,
  ) {}

  dispose(): void {
    this.changed.dispose();
  }

  get state(): ServerState {
    return this.current;
  }

  get processId(): number | undefined {
    return this.client?.processId;
  }

  start(): Promise<void> {
    return this.restart();
  }

  restart(): Promise<void> {
    if (this.current === "starting") {
      // It may never answer, and then the queue would stand still.
      this.client?.kill();
    }
    this.turn("starting");
    return this.enqueue(async () => {
      await this.close();
      await this.open(await this.askLine());
    });
  }

  stop(): Promise<void> {
    return this.enqueue(async () => {
      await this.close();
      this.turn("stopped");
    });
  }

  /** The toolchain may give other answers now; the same answer changes nothing. */
  follow(): Promise<void> {
    return this.enqueue(async () => {
      const before = JSON.stringify(this.line);
      const line = await this.askLine();
      if (this.current !== "running" || JSON.stringify(line) !== before) {
        await this.close();
        await this.open(line);
      }
    });
  }

  async request<Answer>(
    method: string,
    parameters: unknown,
    token?: vscode.CancellationToken,
  ): Promise<Answer> {
    const client = await this.running();
    // To the library a token that is undefined would be a second parameter.
    const rest = token === undefined ? [] : [token];
    return client.sendRequest<Answer>(method, parameters, ...rest);
  }

  settled(): Promise<void> {
    return this.queue;
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(work).catch((error) => this.setup.log.error(error));
    return this.queue;
  }

  private async open(line: CommandLine | undefined): Promise<void> {
    this.line = line;
    if (line === undefined) {
      this.current = vscode.workspace.isTrusted ? "failed" : "untrusted";
      // Also where it had failed before: the reason may be another one now.
      return this.changed.fire();
    }
    this.turn("starting");
    const client = new this.newClient(line, this.setup);
    this.client = client;
    // Between a crash and the start after it the library says for a moment that it has stopped.
    const look = () => this.client === client && this.see(client.state);
    client.onDidChangeState(() => queueMicrotask(look));
    // A failure is seen as a state.
    await client.start().catch(() => undefined);
  }

  private async close(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.state === State.Running) {
      await client.dispose().catch((error) => this.setup.log.warn(error));
    }
    client?.kill();
  }

  /** Undefined where there is none; the toolchain has said why, where it was asked. */
  private async askLine(): Promise<CommandLine | undefined> {
    this.problem = undefined;
    if (!vscode.workspace.isTrusted) {
      return undefined;
    }
    try {
      return await this.toolchain.commandLine("lsp");
    } catch (error) {
      this.problem = messageOf(error);
      if (!(error instanceof ToolchainError)) {
        this.setup.log.error(error instanceof Error ? error : this.problem);
      }
      return undefined;
    }
  }

  private see(state: State): void {
    if (state === State.Running) {
      this.turn("running");
    } else if (state === State.Starting) {
      this.turn("starting");
    } else {
      this.turn("failed");
    }
  }

  private turn(state: ServerState): void {
    if (state !== this.current) {
      this.current = state;
      this.changed.fire();
    }
  }

  private async running(): Promise<Client> {
    while (this.current === "starting") {
      await new Promise<void>((resolve) => {
        const once = this.onDidChangeState(() => {
          once.dispose();
          resolve();
        });
      });
    }
    if (this.current !== "running" || this.client === undefined) {
      throw new Error(WHY_NOT[this.current]);
    }
    return this.client;
  }
}

const WHY_NOT: Record<ServerState, string> = {
  starting: "The language server is starting.",
  running: "The language server has ended.",
  stopped: "The language server is not running.",
  failed: "The language server could not be started; the log says why.",
  untrusted: "The language server is not started in a workspace that is not trusted.",
};

/**
 * A log channel for the client library. The library traces where the level of its channel is
 * `Trace`; ours has that level where the setting asks for a trace.
 */
function traceChannel(subscriptions: vscode.Disposable[]): vscode.LogOutputChannel {
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
