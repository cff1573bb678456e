/** A client of the library for one run of the language server, set up as ours wants it. */

import * as vscode from "vscode";
import {
  type BaseLanguageClient,
  CloseAction,
  ErrorAction,
  type ErrorHandler,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient";
import { provideInlineValues } from "../debug/inlineValues";
import type { CommandLine } from "../parts";
import { ourDocuments } from "./documents";

/** What a client needs beside the command line. */
export interface ClientSetup {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly trace: vscode.LogOutputChannel;
}

/** A client, with what it has started. */
export interface Client extends BaseLanguageClient {
  /** The process that serves, while one does. */
  readonly processId?: number | undefined;
  /** End what serves, whatever the state of the connection. */
  kill(): void;
}

export type ClientClass = new (line: CommandLine, setup: ClientSetup) => Client;

/** Messages about the server's state are ours to show, and when it is restarted is ours to say. */
export function tame(client: BaseLanguageClient): void {
  const { error, info } = client;
  client.error = (message, data) => error.call(client, message, data, false);
  client.info = (message, data) => info.call(client, message, data, false);
  const restarts = client.createDefaultErrorHandler(MOST_RESTARTS);
  const hasAnswered = () => client.initializeResult !== undefined;
  client.clientOptions.errorHandler = patient(restarts, hasAnswered);
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

/** Options of both clients. */
export function options({ context, log, trace }: ClientSetup): LanguageClientOptions {
  const { extension } = context;
  return {
    documentSelector: ourDocuments(extension),
    outputChannel: log,
    traceOutputChannel: trace,
    initializationOptions: () => explicitSettings(extension),
    initializationFailedHandler: () => false,
    middleware: middleware(extension),
    diagnosticPullOptions: { onChange: true, onSave: true },
  };
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
