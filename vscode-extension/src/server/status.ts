/** What the user sees of the server: a status item, messages, the commands for both. */

import * as vscode from "vscode";
import type { ServerState } from "../parts";
import { ourDocuments } from "./documents";
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
  const show = () => {
    paint(item, server);
    totals.showSoon();
  };
  context.subscriptions.push(
    item,
    server.onDidChangeState(() => {
      show();
      announce(log, server);
    }),
    totals,
    onDidChangeValues(() => totals.showSoon()),
    vscode.window.onDidChangeActiveTextEditor(() => totals.showSoon()),
    vscode.workspace.onDidOpenTextDocument(() => totals.showSoon()),
    vscode.workspace.onDidChangeTextDocument(() => totals.showSoon()),
    vscode.workspace.onDidSaveTextDocument(() => totals.showSoon()),
    vscode.commands.registerCommand("ipu.restartServer", () => server.restart()),
    vscode.commands.registerCommand("ipu.showLog", () => log.show()),
  );
  show();
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
function announce(log: vscode.LogOutputChannel, server: ServerControl): void {
  if (server.state !== "failed" || server.line === undefined) {
    return;
  }
  const message = "The IPU language server has ended and is not restarted.";
  vscode.window.showErrorMessage(message, RESTART, LOG).then((choice) => {
    if (choice === RESTART) {
      void server.restart();
    } else if (choice === LOG) {
      log.show();
    }
  });
}

const PAUSE_MILLISECONDS = 500;

/** What the server says of a program as a whole (docs/protocol.md). */
interface Totals {
  readonly isa: string;
  readonly text: string;
}

/** Shows the document in front, when nothing has happened for a moment: its set, its cycles. */
class ProgramTotals implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;
  private readonly totals: vscode.StatusBarItem;

  constructor(
    private readonly server: ServerControl,
    private readonly item: vscode.LanguageStatusItem,
  ) {
    const { Right } = vscode.StatusBarAlignment;
    this.totals = vscode.window.createStatusBarItem("ipu.totals", Right, 101);
    this.totals.name = "Cycles and bundles of the program";
    this.totals.tooltip = "Cycles of the whole run, and the part of instruction memory";
    this.totals.command = "ipu.showMemoryMap";
  }

  showSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), PAUSE_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.totals.dispose();
  }

  private async show(): Promise<void> {
    const document = this.document;
    const answer = document && (await this.ask(document).catch(() => null));
    if (this.document !== document) {
      return;
    }
    if (!answer) {
      return this.totals.hide();
    }
    this.item.text = `Instruction set ${answer.isa}`;
    this.totals.text = `$(watch) ${answer.text}`;
    this.totals.show();
  }

  /** The document in front, where the server knows about it. */
  private get document(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const isOurs = document && vscode.languages.match(this.item.selector, document) > 0;
    return isOurs && this.server.state === "running" ? document : undefined;
  }

  private ask(document: vscode.TextDocument): Promise<Totals | null> {
    const parameters = { textDocument: { uri: document.uri.toString() } };
    return this.server.request<Totals | null>("ipu/runTotals", parameters);
  }
}
