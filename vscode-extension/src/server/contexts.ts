/** The context in which the document in front is shown, and its choice. */

import * as vscode from "vscode";
import { ourDocuments } from "./documents";
import { DocumentStatus } from "./documentStatus";
import type { ServerControl } from "./index";

/** What the server answers: all contexts, and the number of the one that counts. */
interface Contexts {
  readonly contexts: readonly string[];
  readonly selected: number;
}

const ITEM = {
  id: "ipu.context",
  name: "IPU Context",
  tooltip: "The template context that hovers, hints and commands show",
  command: "ipu.chooseContext",
  priority: 100,
};

/** Registers the status item, which is there for documents with several contexts, and its command. */
export function registerContexts(context: vscode.ExtensionContext, server: ServerControl): void {
  const status = new ContextStatus(server, ourDocuments(context.extension), ITEM);
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("ipu.chooseContext", (number?: number) =>
      status.choose(number),
    ),
  );
}

class ContextStatus extends DocumentStatus<Contexts> {
  /** Selects a context of the document in front: that with the number, else the user's choice. */
  async choose(number?: number): Promise<void> {
    const document = this.document;
    const known = document && (await this.ask(document));
    if (document === undefined || known === undefined || known.contexts.length < 2) {
      void vscode.window.showInformationMessage("This file has one context.");
      return;
    }
    const chosen = number ?? (await pick(known));
    if (chosen !== undefined) {
      await this.ask(document, chosen);
      this.showSoon();
    }
  }

  protected ask(document: vscode.TextDocument, context?: number): Promise<Contexts | undefined> {
    const argument = { uri: document.uri.toString(), context };
    const parameters = { command: "ipu.selectContext", arguments: [argument] };
    return this.server.request<Contexts>("workspace/executeCommand", parameters);
  }

  protected text({ contexts, selected }: Contexts): string | undefined {
    return contexts.length < 2 ? undefined : (contexts[selected] ?? "");
  }
}

async function pick({ contexts, selected }: Contexts): Promise<number | undefined> {
  const choices = contexts.map((label, number) => ({
    label,
    number,
    description: number === selected ? "selected" : "",
  }));
  const placeHolder = "The context that hovers, hints and commands show; all are checked";
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.number;
}
