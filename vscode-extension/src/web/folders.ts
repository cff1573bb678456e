/** Copies of the folders of a window for the worker, which sees no other disk. */

import * as vscode from "vscode";
import { FileChangeType, type Middleware } from "vscode-languageclient";
import { messageOf } from "../parts";
import { READ_FILES } from "../languages";

type Call = (name: "mount" | "write", ...args: unknown[]) => void;

const MOST_FILES = 1_000;
const MOST_FOLDERS = 500;
const MOST_BYTES = 1 << 20;
const UNSEARCHED = /^(?:\.(?!vscode$).*|node_modules|__pycache__)$/;

export class Folders {
  private mounted = 0;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly call: Call,
  ) {}

  /** The worker has what a notification is about before the server reads the notification. */
  get middleware(): Middleware["workspace"] {
    return {
      didChangeWatchedFile: async (event, next) => {
        const uri = vscode.Uri.parse(event.uri, true);
        if (event.type === FileChangeType.Deleted) {
          this.call("write", event.uri);
        } else {
          await this.copy(uri);
        }
        await next(event);
      },
      didChangeWorkspaceFolders: async (event, next) => {
        await this.add(event.added);
        await next(event);
      },
    };
  }

  /** All folders, as far as the server reads them. */
  async copyAll(): Promise<void> {
    await this.add(vscode.workspace.workspaceFolders ?? []);
  }

  private async add(folders: readonly vscode.WorkspaceFolder[]): Promise<void> {
    for (const { uri } of folders) {
      this.call("mount", uri.toString(), this.mounted++);
      const files = await filesBelow(uri);
      await Promise.all(files.slice(0, MOST_FILES).map((file) => this.copy(file)));
      const left = files.length > MOST_FILES ? `; the server does not see the other ones` : "";
      this.log.info(`${Math.min(files.length, MOST_FILES)} files of ${uri.toString()}${left}`);
    }
  }

  private async copy(uri: vscode.Uri): Promise<void> {
    try {
      const { type, size } = await vscode.workspace.fs.stat(uri);
      if (type & vscode.FileType.File && size <= MOST_BYTES) {
        this.call("write", uri.toString(), await vscode.workspace.fs.readFile(uri));
      }
    } catch (error) {
      this.log.warn(`${uri.toString()}: ${messageOf(error)}`);
    }
  }
}

/** The files of a folder that the server may read, those at the top first. */
async function filesBelow(root: vscode.Uri): Promise<vscode.Uri[]> {
  const files: vscode.Uri[] = [];
  const folders = [root];
  for (const folder of folders) {
    // A folder that cannot be read is one without files.
    const entries = await vscode.workspace.fs.readDirectory(folder).then(null, () => []);
    for (const [name, type] of entries) {
      const uri = vscode.Uri.joinPath(folder, name);
      if (type & vscode.FileType.Directory) {
        if (folders.length < MOST_FOLDERS && !UNSEARCHED.test(name)) {
          folders.push(uri);
        }
      } else if (READ_FILES.test(name)) {
        files.push(uri);
      }
    }
    if (files.length > MOST_FILES) {
      break;
    }
  }
  return files;
}
