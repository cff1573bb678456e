/** The language server in a worker: that of the playground, with copies of the folders. */

import {
  BrowserMessageReader,
  BrowserMessageWriter,
  LanguageClient,
  type Message,
  type MessageTransports,
} from "vscode-languageclient/browser";
import type { CommandLine } from "../parts";
import { type Client, type ClientSetup, options, tame } from "../server/client";
import { Folders } from "./folders";

/** What the worker tells: that it is ready or not, a message of the server, an answer to a call. */
interface Told {
  readonly ready?: string;
  readonly failed?: string;
  readonly lsp?: string;
  readonly error?: string;
}

/**
 * Pyodide refuses classic workers, and those of an extension are. So one of these starts a worker
 * that is a module, and passes on what is said.
 */
const RELAY = `
  const script = new Blob(["import " + JSON.stringify(URL)], { type: "text/javascript" });
  const inner = new Worker(self.URL.createObjectURL(script), { type: "module" });
  inner.onmessage = ({ data }) => postMessage(data);
  inner.onerror = (event) => postMessage({ failed: event.message || "it could not be loaded" });
  onmessage = ({ data }) => inner.postMessage(data);
`;

export class WorkerClient extends LanguageClient implements Client {
  private worker: Worker | undefined;

  constructor({ command }: CommandLine, setup: ClientSetup) {
    const folders = new Folders(setup.log, (call, ...args) => {
      this.worker?.postMessage({ id: 0, call, args });
    });
    const common = options(setup);
    const workspace = { ...common.middleware?.workspace, ...folders.middleware };
    const middleware = { ...common.middleware, workspace };
    super("ipu", "IPU Assembly", () => this.connect(command, folders, setup), { ...common, middleware });
    tame(this);
  }

  kill(): void {
    this.worker?.terminate();
  }

  private async connect(
    address: string,
    folders: Folders,
    { log }: ClientSetup,
  ): Promise<MessageTransports> {
    log.info(`Starting ${address}`);
    const script = RELAY.replace("URL", JSON.stringify(address));
    const worker = new Worker(URL.createObjectURL(new Blob([script])));
    this.worker = worker;
    const { port1: ours, port2: port } = new MessageChannel();
    ours.onmessage = ({ data }: MessageEvent<Message>) =>
      worker.postMessage({ lsp: JSON.stringify(data) });
    const started = new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data: { ready, failed, lsp, error } }: MessageEvent<Told>) => {
        if (lsp !== undefined) {
          ours.postMessage(JSON.parse(lsp));
        } else if (failed !== undefined) {
          reject(new Error(`The language server could not be loaded: ${failed}`));
        } else if (ready !== undefined) {
          log.info(`ipu-asm ${ready} in a worker`);
          resolve();
        } else if (error !== undefined) {
          log.warn(error);
        }
      };
    });
    await Promise.all([started, folders.copyAll()]);
    return { reader: new BrowserMessageReader(port), writer: new BrowserMessageWriter(port) };
  }
}
