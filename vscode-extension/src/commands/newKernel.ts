/** Makes a new kernel out of one of the templates. */

import * as vscode from "vscode";
import { nameOf, parentOf } from "./subject";

interface Template extends vscode.QuickPickItem {
  /** Its file in the folder `templates`; also the name that it calls itself by. */
  readonly file: string;
}

const TEMPLATES: readonly Template[] = [
  ["empty.s", "$(file) Empty", "A header that says what is in which register, and a first bundle"],
  ["load_store.s", "$(arrow-both) Load and store", "Moves rows of 128 elements: the least of a kernel"],
  ["elementwise.s", "$(symbol-operator) Element-wise loop", "Two tensors, element by element"],
  ["fully_connected.s", "$(layers) Fully connected layer", "Inputs times weights, a bundle an input"],
].map(([file = "", label = "", detail]) => ({ file, label, detail }));

/** Which template and where to, for those who do not want to be asked. */
interface Choice {
  readonly template?: string;
  readonly output?: vscode.Uri;
}

/** Ask for a template and a place, make the file and open it; its address. */
export async function newKernel(
  { extensionUri }: vscode.ExtensionContext,
  folder: unknown,
  given: unknown,
): Promise<vscode.Uri | undefined> {
  const { template: name, output } = (given ?? {}) as Choice;
  const template = name
    ? TEMPLATES.find(({ file }) => file === name)
    : await vscode.window.showQuickPick(TEMPLATES, { placeHolder: "What to begin with" });
  if (!template) {
    return undefined;
  }
  const place = output instanceof vscode.Uri ? output : await askPlace(folder, template);
  if (!place) {
    return undefined;
  }
  const source = vscode.Uri.joinPath(extensionUri, "templates", template.file);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(source));
  const named = text.replaceAll(template.file, () => nameOf(place));
  await vscode.workspace.fs.writeFile(place, new TextEncoder().encode(named));
  await vscode.window.showTextDocument(place);
  return place;
}

async function askPlace(
  folder: unknown,
  { file }: Template,
): Promise<vscode.Uri | undefined> {
  const name = file === "empty.s" ? "kernel.s" : file;
  const within = folder instanceof vscode.Uri ? await folderOf(folder) : currentFolder();
  return vscode.window.showSaveDialog({
    defaultUri: within && vscode.Uri.joinPath(within, name),
    filters: { "IPU assembly": ["s", "ipu", "asm"] },
    title: "New kernel",
    saveLabel: "Create",
  });
}

/** The folder that was clicked on, or that of the file. */
async function folderOf(uri: vscode.Uri): Promise<vscode.Uri> {
  const { type } = await vscode.workspace.fs.stat(uri);
  return type & vscode.FileType.Directory ? uri : parentOf(uri);
}

function currentFolder(): vscode.Uri | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const isFile = active && vscode.workspace.fs.isWritableFileSystem(active.scheme) !== undefined;
  return isFile ? parentOf(active) : first?.uri;
}
