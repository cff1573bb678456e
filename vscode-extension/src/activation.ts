/** What the entries have in common: they build the parts in order. */

import * as vscode from "vscode";
import type { Part, Parts, ServerState } from "./parts";
import { createServer, type ServerControl } from "./server";
import type { ClientClass } from "./server/client";
import { registerConfigurations } from "./server/configurations";
import { registerContexts } from "./server/contexts";
import { registerSignatures } from "./server/signatures";
import { registerStatus } from "./server/status";
import type { ToolchainControl } from "./toolchain";

/** What `activate` returns, for tests and for other extensions. */
export interface Api {
  readonly server: {
    readonly state: ServerState;
    readonly onDidChangeState: vscode.Event<void>;
    /** The process that serves, while one does. */
    readonly processId: number | undefined;
    /** Where its program comes from, for people. */
    readonly origin: string | undefined;
    /** The path of its program. */
    readonly command: string | undefined;
    /** Why it could not be started, as a sentence. */
    readonly problem: string | undefined;
    request<Answer>(method: string, parameters: unknown): Promise<Answer>;
    /** Whatever was begun, by a setting for example, is done. */
    settled(): Promise<void>;
  };
}

/** What differs between the entries. */
export interface Entry {
  readonly newToolchain: (
    context: vscode.ExtensionContext,
    log: vscode.LogOutputChannel,
  ) => ToolchainControl;
  readonly client: ClientClass;
  readonly parts: readonly Part[];
}

const COMPLETION_DELAY_MS = 5_000;

let running: ServerControl | undefined;

/** Called by the entries when one of the activation events has happened. */
export function start(
  context: vscode.ExtensionContext,
  { newToolchain, client, parts: all }: Entry,
): Api {
  const log = vscode.window.createOutputChannel("IPU Assembly", { log: true });
  context.subscriptions.push(log);
  const toolchain = newToolchain(context, log);
  const server = createServer(context, log, toolchain, client);
  registerStatus(context, log, server, registerConfigurations(context, server));
  registerContexts(context, server);
  registerSignatures(context);
  const parts: Parts = { context, log, toolchain, server };
  for (const register of all) {
    context.subscriptions.push(...(register(parts) ?? []));
  }
  context.subscriptions.push(completion(server, toolchain));
  running = server;
  void server.start();
  return api(server);
}

/** Called when the editor closes: the server is given the time to end well. */
export async function stop(): Promise<void> {
  await running?.stop();
}

/** The first findings come first: what the debugger needs is fetched when they are there. */
function completion(server: ServerControl, toolchain: ToolchainControl): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const listener = server.onDidChangeState(() => {
    clearTimeout(timer);
    if (server.state === "running") {
      timer = setTimeout(() => void toolchain.completeQuietly(), COMPLETION_DELAY_MS);
    }
  });
  return { dispose: () => (clearTimeout(timer), listener.dispose()) };
}

function api(server: ServerControl): Api {
  return {
    server: {
      get state() {
        return server.state;
      },
      get processId() {
        return server.processId;
      },
      get origin() {
        return server.line?.origin;
      },
      get command() {
        return server.line?.command;
      },
      get problem() {
        return server.problem;
      },
      onDidChangeState: server.onDidChangeState,
      request: (method, parameters) => server.request(method, parameters),
      settled: () => server.settled(),
    },
  };
}
