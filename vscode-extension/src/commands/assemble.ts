/** Assembles the program in the editor, saved or not, into an image. */

import * as vscode from "vscode";
import type { Parts } from "../parts";
import { explained } from "./register";
import { nameOf, parentOf, subject } from "./subject";

interface Format extends vscode.QuickPickItem {
  readonly format: string;
  readonly extension: string;
}

const FORMATS: readonly Format[] = [
  ["Hexadecimal words", "hex", "hex", "A line for each word, with the digits of its bytes"],
  ["Memory image", "mem", "mem", "A line for each word, with its own digits, for simulators"],
  ["Binary", "bin", "bin", "The words as bytes, little-endian"],
  ["Listing", "listing", "lst", "Address, word and source side by side"],
].map(([label = "", format = "", extension = "", detail]) => {
  return { label, description: format, detail, format, extension };
});

interface Finding {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

/** What the server's `ipu.assemble` answers: see docs/protocol.md. */
interface Assembled {
  readonly text?: string;
  readonly base64?: string;
  readonly findings?: readonly Finding[];
}

/** What to make and where to put it, for those who do not want to be asked. */
interface Choice {
  readonly format?: string;
  readonly output?: vscode.Uri;
}

/** Ask for a format and a place, and write the image there; the address of what was written. */
export async function assembleFile(
  { server }: Parts,
  file: unknown,
  given: unknown,
): Promise<vscode.Uri | undefined> {
  const document = await subject(file);
  const choice = choiceOf(given);
  const format = document && (await formatOf(document, choice));
  if (!document || !format) {
    return undefined;
  }
  const assembled = await server.request<Assembled>("workspace/executeCommand", {
    command: "ipu.assemble",
    arguments: [{ uri: document.uri.toString(), format: format.format }],
  });
  const { findings } = assembled;
  if (findings) {
    void explained(() => showFindings(document, findings));
    return undefined;
  }
  const output = choice.output ?? (await placeOf(document, format));
  if (!output) {
    return undefined;
  }
  await vscode.workspace.fs.writeFile(output, bytesOf(assembled));
  void explained(() => showResult(document, output, format));
  return output;
}

function choiceOf(given: unknown): Choice {
  const { format, output } = (given ?? {}) as Choice;
  // Menus give lists of files here.
  return { format, output: output instanceof vscode.Uri ? output : undefined };
}

async function formatOf(
  document: vscode.TextDocument,
  { format }: Choice,
): Promise<Format | undefined> {
  if (format) {
    return FORMATS.find((known) => known.format === format);
  }
  const placeHolder = `What to make of ${nameOf(document.uri)}`;
  return vscode.window.showQuickPick(FORMATS, { placeHolder, matchOnDescription: true });
}

function placeOf(
  { uri }: vscode.TextDocument,
  { extension, label }: Format,
): Thenable<vscode.Uri | undefined> {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const folder = uri.scheme === "untitled" ? first?.uri : parentOf(uri);
  const name = `${nameOf(uri).replace(/(?<=.)\.[^.]*$/, "")}.${extension}`;
  const defaultUri = folder ? vscode.Uri.joinPath(folder, name) : vscode.Uri.file(name);
  const filters = { [label]: [extension] };
  const words = { title: "Assemble", saveLabel: "Write" };
  return vscode.window.showSaveDialog({ defaultUri, filters, ...words });
}

function bytesOf({ text, base64 }: Assembled): Uint8Array {
  return base64 === undefined
    ? new TextEncoder().encode(text)
    : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function showFindings(
  document: vscode.TextDocument,
  findings: readonly Finding[],
): Promise<void> {
  const [first] = findings;
  const many = findings.length === 1 ? "An error keeps" : `${findings.length} errors keep`;
  const where = first ? ` Line ${first.range.start.line + 1}: ${first.message}.` : "";
  const [go, list] = ["Go to the error", "Show problems"] as const;
  const message = `${many} ${nameOf(document.uri)} from being assembled.${where}`;
  const answer = await vscode.window.showErrorMessage(message, go, list);
  if (answer === list) {
    await vscode.commands.executeCommand("workbench.actions.view.problems");
  } else if (answer === go && first) {
    const { line, character } = first.range.start;
    const selection = new vscode.Range(line, character, line, character);
    await vscode.window.showTextDocument(document, { selection });
  }
}

async function showResult(
  { uri }: vscode.TextDocument,
  output: vscode.Uri,
  { format }: Format,
): Promise<void> {
  const message = `Assembled ${nameOf(uri)} into ${nameOf(output)}.`;
  const buttons = format === "bin" ? [] : ["Open"];
  if (await vscode.window.showInformationMessage(message, ...buttons)) {
    await vscode.window.showTextDocument(output);
  }
}
