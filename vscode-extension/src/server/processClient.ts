/** The language server in a process that is spoken to over its standard input and output. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";
import type { CommandLine } from "../parts";
import { type Client, type ClientSetup, options, tame } from "./client";

export class ProcessClient extends LanguageClient implements Client {
  private child: ChildProcess | undefined;

  constructor(line: CommandLine, setup: ClientSetup) {
    const stdioOptions = { stdout: logLines, stderr: logLines };
    const clientOptions = { ...options(setup), stdioOptions };
    super("ipu", "IPU Assembly", () => this.spawn(line, setup), clientOptions);
    tame(this);
  }

  get processId(): number | undefined {
    return this.child?.pid;
  }

  kill(): void {
    this.child?.kill();
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

/** What is wrong comes as a message of the protocol, too. */
function logLines(stream: Readable, log: vscode.LogOutputChannel): void {
  createInterface({ input: stream }).on("line", (line) => log.info(line));
}
