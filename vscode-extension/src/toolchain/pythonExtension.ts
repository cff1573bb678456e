/** The interpreter that is chosen in the Python extension, where that is installed. */

import * as vscode from "vscode";
import { messageOf } from "../parts";
import { lookInto } from "./interpreter";
import { inPython, type Origin } from "./origins";

/** What we use of the Python extension's interface. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: { readonly path: string }): Promise<Environment | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

interface Environment {
  readonly executable: { readonly uri?: vscode.Uri };
}

const ID = "ms-python.python";
const ANSWER_TIMEOUT_MS = 20_000;

/** Follows the Python extension. */
export class PythonExtension {
  private api: Promise<PythonApi | undefined> | undefined;
  private wasThere = vscode.extensions.getExtension(ID) !== undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly cwd: string,
    private readonly changed: () => void,
    private readonly subscriptions: vscode.Disposable[],
  ) {}

  /** The programs of the chosen interpreter; undefined where it does not have ours. */
  async origin(resource: vscode.Uri | undefined): Promise<Origin | undefined> {
    const python = await this.interpreter(resource);
    if (python === undefined) {
      return undefined;
    }
    const found = await lookInto(this.log, python, this.cwd);
    if ("problem" in found || found.interpreter.ipu === null) {
      const problem = "problem" in found ? found.problem : "has no ipu-asm";
      this.log.info(`The interpreter chosen in the Python extension, ${python}, ${problem}`);
      return undefined;
    }
    return inPython(python, "the interpreter chosen in the Python extension");
  }

  /** The path of the chosen interpreter. */
  async interpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
    try {
      return await withinTime(this.ask(resource));
    } catch (error) {
      this.log.warn(`The Python extension does not tell its interpreter: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Extensions have come or gone. */
  lookAgain(): void {
    const isThere = vscode.extensions.getExtension(ID) !== undefined;
    if (isThere !== this.wasThere) {
      this.wasThere = isThere;
      this.api = undefined;
      this.changed();
    }
  }

  private async ask(resource: vscode.Uri | undefined): Promise<string | undefined> {
    const environments = (await this.connected())?.environments;
    if (environments === undefined) {
      return undefined;
    }
    const active = environments.getActiveEnvironmentPath(resource);
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  }

  private connected(): Promise<PythonApi | undefined> {
    this.api ??= this.connect().catch((error: unknown) => {
      this.api = undefined;
      throw error;
    });
    return this.api;
  }

  private async connect(): Promise<PythonApi | undefined> {
    const extension = vscode.extensions.getExtension<PythonApi>(ID);
    const api = await extension?.activate();
    const changes = api?.environments?.onDidChangeActiveEnvironmentPath;
    if (changes === undefined) {
      return undefined;
    }
    this.subscriptions.push(changes(this.changed));
    return api;
  }
}

/** The promise's value; a rejection where it takes too long. */
function withinTime<Value>(promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const complaint = () => reject(new Error("it takes too long"));
    const timer = setTimeout(complaint, ANSWER_TIMEOUT_MS);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
