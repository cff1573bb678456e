/** Which Python and which package serve this window. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { type CommandLine, messageOf, type Tool, type Toolchain, ToolchainError } from "../parts";
import { findBasePython } from "./interpreter";
import { ENVIRONMENT, fromPath, fromSetting, type Origin } from "./origins";
import { PrivateEnvironment } from "./privateEnvironment";
import { PythonExtension } from "./pythonExtension";
import { readWheels } from "./privateEnvironment";

/**
 * The toolchain of a window. It tries, in this order: the setting `ipu.interpreter`; the
 * interpreter chosen in the Python extension; `ipu-lsp` on PATH; a private environment.
 */
export function createToolchain(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): ToolchainControl {
  return new WindowToolchain(context, log);
}

/** The toolchain as the extension's entry sees it. */
export interface ToolchainControl extends Toolchain {
  /** Nobody waits now: fetch what other programs than the language server will need. */
  completeQuietly(): Promise<void>;
}

class WindowToolchain implements ToolchainControl {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  private readonly origins = new Map<string, Promise<Origin>>();
  private readonly pythonExtension: PythonExtension;
  private readonly cwd: string;
  private environment: PrivateEnvironment | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const { subscriptions } = context;
    this.cwd = context.globalStorageUri.fsPath;
    const forget = () => this.forget();
    this.pythonExtension = new PythonExtension(log, this.cwd, forget, subscriptions);
    subscriptions.push(
      this.changed,
      vscode.workspace.onDidGrantWorkspaceTrust(forget),
      vscode.extensions.onDidChange(() => this.pythonExtension.lookAgain()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("ipu.interpreter")) {
          forget();
        }
      }),
    );
  }

  async commandLine(tool: Tool, resource?: vscode.Uri): Promise<CommandLine> {
    try {
      const origin = await this.origin(resource);
      await origin.prepare?.(tool);
      return { ...origin.command(tool), env: ENVIRONMENT, origin: origin.name };
    } catch (error) {
      void explain(this.log, messageOf(error));
      throw error;
    }
  }

  async completeQuietly(): Promise<void> {
    // What could not be found was said to those who asked.
    const found = await Promise.allSettled(this.origins.values());
    const origins = found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    await Promise.all(origins.map(async (origin) => origin.completeQuietly?.()));
  }

  private forget(): void {
    this.origins.clear();
    this.changed.fire();
  }

  /** Found once for each folder; what could not be found is looked for again. */
  private origin(resource: vscode.Uri | undefined): Promise<Origin> {
    if (!vscode.workspace.isTrusted) {
      return Promise.reject(new ToolchainError(UNTRUSTED));
    }
    const { workspaceFolders, getWorkspaceFolder } = vscode.workspace;
    const folder = (resource && getWorkspaceFolder(resource)) ?? workspaceFolders?.[0];
    const key = folder?.uri.toString() ?? "";
    const known = this.origins.get(key) ?? this.find(folder?.uri);
    this.origins.set(key, known);
    known.catch(() => this.origins.get(key) === known && this.origins.delete(key));
    return known;
  }

  private async find(resource: vscode.Uri | undefined): Promise<Origin> {
    await mkdir(this.cwd, { recursive: true });
    const origin =
      (await fromSetting(this.log, this.cwd, resource)) ??
      (await this.pythonExtension.origin(resource)) ??
      (await fromPath(this.log, this.cwd)) ??
      (await (await this.privateEnvironment(resource)).origin());
    this.log.info(`Using ${origin.name}: ${origin.command("lsp").command}`);
    return origin;
  }

  private async privateEnvironment(resource: vscode.Uri | undefined): Promise<PrivateEnvironment> {
    const wheels = await readWheels(this.context.asAbsolutePath("wheels"));
    const base = async () => {
      const chosen = await this.pythonExtension.interpreter(resource);
      return (await findBasePython(this.log, this.cwd, chosen ? [chosen] : [])).executable;
    };
    const storage = join(this.cwd, "environments");
    const { subscriptions } = this.context;
    this.environment ??= new PrivateEnvironment(this.log, storage, wheels, base, subscriptions);
    return this.environment;
  }
}

/** What a workspace that is not trusted gets to see. */
const UNTRUSTED =
  "IPU Assembly starts no programs in a workspace that is not trusted: " +
  "no findings, no hover, no debugger.";

const SETTINGS = "Open Settings";
const LOG = "Show Log";
const TRUST = "Manage Trust";

const shown = new Set<string>();

/** Show why a program cannot be started, once at a time. */
async function explain(log: vscode.LogOutputChannel, message: string): Promise<void> {
  log.error(message);
  if (shown.has(message)) {
    return;
  }
  shown.add(message);
  const ways = message === UNTRUSTED ? [TRUST] : [SETTINGS, LOG];
  const way = await vscode.window.showErrorMessage(message, ...ways);
  shown.delete(message);
  await follow(log, way);
}

async function follow(log: vscode.LogOutputChannel, way: string | undefined): Promise<void> {
  if (way === SETTINGS) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ipu.interpreter");
  } else if (way === TRUST) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  } else if (way === LOG) {
    log.show();
  }
}
