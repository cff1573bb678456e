/** What the parts of the extension know of each other. */

import type * as vscode from "vscode";

/** Everything a part is given when it is registered. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly toolchain: Toolchain;
  readonly server: Server;
}

/** The programs of the Python package, and the Python that they run in. */
export type Tool = "lsp" | "dap" | "run" | "as" | "lint" | "python";

/** How a program is started. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Where the program comes from, for people: "the setting `ipu.interpreter`". */
  readonly origin: string;
}

/** Knows which Python and which package serve this window. */
export interface Toolchain {
  /**
   * How to start a tool. Shows progress when it has to install something. Where it cannot be done,
   * it says so in a message and throws `ToolchainError`: nobody else need show anything.
   */
  commandLine(tool: Tool, resource?: vscode.Uri): Promise<CommandLine>;
  /** Other answers than before are to be expected: an interpreter was chosen, trust was granted. */
  readonly onDidChange: vscode.Event<void>;
}

/** Why no program can be started, as a sentence that the user has already seen. */
export class ToolchainError extends Error {
  override readonly name = "ToolchainError";
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type ServerState = "starting" | "running" | "stopped" | "failed" | "untrusted";

/** The language server of this window. */
export interface Server {
  readonly state: ServerState;
  readonly onDidChangeState: vscode.Event<void>;
  /** A request to the language server; waits for its start, rejects with a sentence. */
  request<Answer>(
    method: string,
    parameters: unknown,
    token?: vscode.CancellationToken,
  ): Promise<Answer>;
}

/** Registers what a part contributes; what it returns is disposed with the extension. */
export type Part = (parts: Parts) => vscode.Disposable[] | void;
