/** One run of the language server: a client of the library, set up as ours wants it. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  LanguageClient,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import { provideInlineValues } from "../debug/inlineValues";
import type { CommandLine } from "../parts";
import { ourDocuments } from "./documents";

/** What a client needs beside the command line. */
export interface ClientSetup {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
}

/** The library's client, which leaves messages about the server's state to us. */
export class Client extends LanguageClient {
  private child: ChildProcess | undefined;

  constructor(line: CommandLine, setup: ClientSetup) {
    super("ipu", "IPU Assembly", () => this.spawn(line, setup), options(setup));
    const restarts = this.createDefaultErrorHandler(MOST_RESTARTS);
    this.clientOptions.errorHandler = patient(restarts, () => this.initializeResult !== undefined);
  }

  /** The process that serves, while one does. */
  get processId(): number | undefined {
    return this.child?.pid;
  }

  /** End the process, whatever the state of the connection. */
  kill(): void {
    this.child?.kill();
  }

  override error(message: string, data?: unknown, _show?: boolean | "force"): void {
    super.error(message, data, false);
  }

  override info(message: string, data?: unknown, _show?: boolean): void {
    super.info(message, data, false);
  }

  private async spawn(line: CommandLine, { context, log }: ClientSetup): Promise<ChildProcess> {
    log.info(`Starting ${line.command} ${line.args.join(" ")}`);
    const env = { ...process.env, ...line.env };
    const cwd = context.globalStorageUri.fsPath;
    const child = spawn(line.command, line.args, { cwd, env, windowsHide: true });
    child.once("exit", (status, signal) => {
      log.info(`The language server has ended: ${signal ?? `status ${status}`}`);
    });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    this.child = child;
    return child;
  }
}

const MOST_RESTARTS = 4;

/**
 * A server that has answered once is restarted when it crashes; another is not. What cannot be
 * written to one that has crashed is no reason to give up: that it is closed is heard next.
 */
function patient(restarts: ErrorHandler, hasAnswered: () => boolean): ErrorHandler {
  return {
    error: () => ({ action: ErrorAction.Continue }),
    closed: () => (hasAnswered() ? restarts.closed() : { action: CloseAction.DoNotRestart }),
  };
}

function options({ context, log, trace }: ClientSetup): LanguageClientOptions {
  const { extension } = context;
  return {
    documentSelector: ourDocuments(extension),
    outputChannel: log,
    traceOutputChannel: trace,
    initializationOptions: () => explicitSettings(extension),
    initializationFailedHandler: () => false,
    middleware: middleware(extension),
    diagnosticPullOptions: { onChange: true, onSave: true },
    stdioOptions: { stdout: logLines, stderr: logLines },
  };
}

/** What is wrong comes as a message of the protocol, too. */
function logLines(stream: Readable, log: vscode.LogOutputChannel): void {
  createInterface({ input: stream }).on("line", (line) => log.info(line));
}

/**
 * The server asks for the section `ipu` and gets what is set; it is told when to ask again. Values
 * after the lines are those of the debugger.
 */
function middleware(extension: vscode.Extension<unknown>): Middleware {
  return {
    provideInlineValues,
    workspace: {
      configuration: ({ items }) => items.map(() => explicitSettings(extension)),
      didChangeConfiguration: (_sections, next) => next(undefined),
    },
  };
}

type Section = { [key: string]: unknown };

/** Settings of views of this editor, which no file of a project decides: their defaults are told, too. */
const OF_VIEWS: readonly string[] = ["ipu.listing.words"];

/**
 * The settings under `ipu` that somebody has set. Defaults are left out: where the editor says
 * nothing, the files of the project decide.
 */
function explicitSettings(extension: vscode.Extension<unknown>): Section {
  const section: Section = {};
  for (const key of contributed(extension)) {
    const value = explicitValue(key);
    if (value !== undefined) {
      place(section, key.split(".").slice(1), value);
    }
  }
  return section;
}

function contributed(extension: vscode.Extension<unknown>): string[] {
  return Object.keys(extension.packageJSON.contributes.configuration.properties);
}

function explicitValue(key: string): unknown {
  const found = vscode.workspace.getConfiguration().inspect(key);
  const given = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
  return given ?? (OF_VIEWS.includes(key) ? found?.defaultValue : undefined);
}

function place(section: Section, [name, ...rest]: string[], value: unknown): void {
  if (name === undefined) {
    return;
  }
  if (rest.length === 0) {
    section[name] = value;
    return;
  }
  place((section[name] ??= {}) as Section, rest, value);
}
