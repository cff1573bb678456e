/** What the user sees of the server: a status item, messages, the commands for both. */

import * as vscode from "vscode";
import type { ServerState } from "../parts";
import { CommittedTexts } from "./commits";
import { ourDocuments } from "./documents";
import { DocumentStatus } from "./documentStatus";
import type { ServerControl } from "./index";

const RESTART = "Restart";
const LOG = "Show Log";

/** Registers the commands and the status item of the server. */
export function registerStatus(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  server: ServerControl,
  onDidChangeValues: vscode.Event<void>,
): void {
  const ours = ourDocuments(context.extension);
  const item = vscode.languages.createLanguageStatusItem("ipu.server", ours);
  item.name = "IPU Assembly";
  const totals = new ProgramTotals(server, item);
  context.subscriptions.push(
    item,
    server.onDidChangeState(() => {
      paint(item, server);
      void announce(log, server);
    }),
    totals,
    onDidChangeValues(() => totals.showSoon()),
    vscode.commands.registerCommand("ipu.restartServer", () => server.restart()),
    vscode.commands.registerCommand("ipu.showLog", () => log.show()),
  );
  paint(item, server);
  totals.showSoon();
}

const WORDS: Record<ServerState, string> = {
  starting: "Starting the language server",
  running: "Language server",
  stopped: "Language server stopped",
  failed: "Language server failed",
  untrusted: "Workspace not trusted",
};

function paint(item: vscode.LanguageStatusItem, { state, line, problem }: ServerControl): void {
  item.text = WORDS[state];
  item.busy = state === "starting";
  item.detail = state === "running" ? `from ${line?.origin}` : problem;
  item.severity =
    state === "failed"
      ? vscode.LanguageStatusSeverity.Error
      : state === "untrusted"
        ? vscode.LanguageStatusSeverity.Warning
        : vscode.LanguageStatusSeverity.Information;
  item.command =
    state === "untrusted"
      ? { title: "Manage Trust", command: "workbench.trust.manage" }
      : state === "running" || state === "starting"
        ? { title: LOG, command: "ipu.showLog" }
        : { title: RESTART, command: "ipu.restartServer" };
}

/** A server that is gone for good is worth a message. */
async function announce(log: vscode.LogOutputChannel, server: ServerControl): Promise<void> {
  if (server.state !== "failed" || server.line === undefined) {
    return;
  }
  const message = "The IPU language server has ended and is not restarted.";
  const choice = await vscode.window.showErrorMessage(message, RESTART, LOG);
  if (choice === RESTART) {
    await server.restart();
  } else if (choice === LOG) {
    log.show();
  }
}

/** What the server says of a program as a whole (docs/protocol.md). */
interface Totals {
  readonly isa: string;
  readonly text: string;
}

const TOTALS = {
  id: "ipu.totals",
  name: "Cycles and bundles of the program",
  tooltip: "Cycles of the whole run, and the part of instruction memory",
  command: "ipu.showMemoryMap",
  priority: 101,
};

/** Shows the cycles of the document in front; its instruction set in the item of the server. */
class ProgramTotals extends DocumentStatus<Totals> {
  private readonly commits = new CommittedTexts();

  constructor(
    server: ServerControl,
    private readonly serverItem: vscode.LanguageStatusItem,
  ) {
    super(server, serverItem.selector, TOTALS);
    const links = "[Toggle remarks](command:ipu.toggleRemarks)";
    const tooltip = new vscode.MarkdownString(`${TOTALS.tooltip}\n\n${links}`);
    tooltip.isTrusted = { enabledCommands: ["ipu.toggleRemarks"] };
    this.item.tooltip = tooltip;
  }

  protected async ask(document: vscode.TextDocument): Promise<Totals | null> {
    const committed = await this.commits.of(document);
    const parameters = { textDocument: { uri: document.uri.toString() }, committed };
    return this.server.request<Totals | null>("ipu/runTotals", parameters);
  }

  protected text({ isa, text }: Totals): string {
    this.serverItem.text = `Instruction set ${isa}`;
    return `$(watch) ${text}`;
  }
}
