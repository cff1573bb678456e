/** Starts the debug adapter. */

import * as vscode from "vscode";
import type { CommandLine, Parts } from "../parts";

/** An `ipu-dap` for each debug session; it talks over standard input and output. */
export class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly parts: Parts) {}

  async createDebugAdapterDescriptor(
    session: vscode.DebugSession,
  ): Promise<vscode.DebugAdapterDescriptor> {
    const line = await this.parts.toolchain.commandLine("dap", session.workspaceFolder?.uri);
    const words = [line.command, ...line.args].join(" ");
    this.parts.log.info(`debug adapter: ${words} (${line.origin})`);
    return new vscode.DebugAdapterExecutable(line.command, [...line.args], {
      env: environment(line),
    });
  }
}

function environment({ env }: CommandLine): Record<string, string> | undefined {
  const set = Object.entries(env ?? {}).filter(([, value]) => value !== undefined);
  return env && (Object.fromEntries(set) as Record<string, string>);
}
