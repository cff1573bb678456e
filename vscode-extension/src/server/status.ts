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
): void {
  const ours = ourDocuments(context.extension);
  const item = vscode.languages.createLanguageStatusItem("ipu.server", ours);
  item.name = "IPU Assembly";
  const isa = new InstructionSet(server, item);
  const show = () => {
    paint(item, server);
    isa.showSoon();
  };
  context.subscriptions.push(
    item,
    server.onDidChangeState(() => {
      show();
      announce(log, server);
    }),
    isa,
    vscode.window.onDidChangeActiveTextEditor(() => isa.showSoon()),
    vscode.workspace.onDidOpenTextDocument(() => isa.showSoon()),
    vscode.workspace.onDidChangeTextDocument(() => isa.showSoon()),
    vscode.workspace.onDidSaveTextDocument(() => isa.showSoon()),
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

/** Shows the instruction set of the document in front, when nothing has happened for a moment. */
class InstructionSet implements vscode.Disposable {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: ServerControl,
    private readonly item: vscode.LanguageStatusItem,
  ) {}

  showSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.show(), PAUSE_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private async show(): Promise<void> {
    const document = this.document;
    if (document === undefined) {
      return;
    }
    const name = await this.ask(document).catch(() => undefined);
    if (name !== undefined && this.document === document) {
      this.item.text = `Instruction set ${name}`;
    }
  }

  /** The document in front, where the server knows about it. */
  private get document(): vscode.TextDocument | undefined {
    const document = vscode.window.activeTextEditor?.document;
    const isOurs = document && vscode.languages.match(this.item.selector, document) > 0;
    return isOurs && this.server.state === "running" ? document : undefined;
  }

  private async ask(document: vscode.TextDocument): Promise<string | undefined> {
    const parameters = { textDocument: { uri: document.uri.toString() } };
    const answer = await this.server.request<{ isa: string } | null>("ipu/slotGrid", parameters);
    return answer?.isa;
  }
}
