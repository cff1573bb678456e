/** The values of the host with which a program is shown: their choice, and the last launches. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "../debug/configurations";
import { ourDocuments } from "./documents";
import type { ServerControl } from "./index";

/** What the server answers: the names of all configurations, and the number of the shown one. */
interface Configurations {
  readonly configurations: readonly string[];
  readonly selected: number;
}

/** What the server is told of a launch (docs/protocol.md). */
interface Launch {
  readonly uri: string;
  readonly name: string;
  readonly cr?: unknown;
  readonly lr?: unknown;
}

/** Where the last launches of this workspace are kept, the latest one at the end. */
const LAUNCHES = "ipu.launches";
const MOST_LAUNCHES = 50;

/** Registers the command; the event fires when other values are shown. */
export function registerConfigurations(
  context: vscode.ExtensionContext,
  server: ServerControl,
): vscode.Event<void> {
  const changed = new vscode.EventEmitter<void>();
  const launches = new Launches(context.workspaceState, server);
  context.subscriptions.push(
    changed,
    server.onDidChangeState(() => void launches.tellAll()),
    vscode.debug.onDidStartDebugSession(async ({ configuration, workspaceFolder }) => {
      await launches.add(configuration, workspaceFolder);
      changed.fire();
    }),
    vscode.commands.registerCommand("ipu.chooseConfiguration", async (number?: number) => {
      await choose(server, ourDocuments(context.extension), number);
      changed.fire();
    }),
  );
  return changed.event;
}

class Launches {
  constructor(
    private readonly state: vscode.Memento,
    private readonly server: ServerControl,
  ) {}

  /** Keeps a launch of ours that sets registers, and tells the server. */
  async add(
    { type, name, program, cwd, cr, lr }: vscode.DebugConfiguration,
    folder: vscode.WorkspaceFolder | undefined,
  ): Promise<void> {
    if (type !== DEBUG_TYPE || typeof program !== "string" || !(cr || lr)) {
      return;
    }
    const within = vscode.Uri.file(cwd ?? folder?.uri.fsPath ?? "");
    const isWhole = /^(?:[a-z]:)?[\\/]/i.test(program);
    const file = isWhole ? vscode.Uri.file(program) : vscode.Uri.joinPath(within, program);
    const uri = file.toString();
    const launch: Launch = { uri, name, cr, lr };
    const others = this.known.filter((each) => each.uri !== uri);
    await this.state.update(LAUNCHES, [...others, launch].slice(-MOST_LAUNCHES));
    await this.tell(launch);
  }

  async tellAll(): Promise<void> {
    await Promise.all(this.known.map((launch) => this.tell(launch)));
  }

  private get known(): readonly Launch[] {
    return this.state.get<Launch[]>(LAUNCHES, []);
  }

  private async tell(launch: Launch): Promise<void> {
    if (this.server.state === "running") {
      const parameters = { command: "ipu.launched", arguments: [launch] };
      // A server that ends meanwhile is told again when it has started.
      await this.server.request("workspace/executeCommand", parameters).catch(() => undefined);
    }
  }
}

/** Selects a configuration for the document in front: that with the number, else the user's. */
async function choose(
  server: ServerControl,
  ours: vscode.DocumentSelector,
  number?: number,
): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || !vscode.languages.match(ours, document) || server.state !== "running") {
    return;
  }
  const ask = (configuration?: number) => {
    const argument = { uri: document.uri.toString(), configuration };
    const parameters = { command: "ipu.selectConfiguration", arguments: [argument] };
    return server.request<Configurations>("workspace/executeCommand", parameters);
  };
  const known = await ask();
  if (known.configurations.length < 2) {
    const advice = "Comments, ipu.toml, launch configurations and kernel tests have others.";
    void vscode.window.showInformationMessage(`This file has one configuration. ${advice}`);
    return;
  }
  const chosen = number ?? (await pick(known));
  if (chosen !== undefined) {
    await ask(chosen);
  }
}

async function pick({ configurations, selected }: Configurations): Promise<number | undefined> {
  const choices = configurations.map((label, number) => ({
    label,
    number,
    description: number === selected ? "selected" : "",
  }));
  const placeHolder = "The values of the host that lenses, hints and hovers show";
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.number;
}
