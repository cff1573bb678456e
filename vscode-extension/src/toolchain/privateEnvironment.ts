/**
 * A virtual environment of the extension's own, made from the wheels that it carries.
 *
 * What the language server needs is pure Python: its wheels are unpacked, which takes a second and
 * no network. What the emulator needs is compiled and fetched afterwards from the package index
 * that the user's pip is set up for. A file written last says that a step is complete, so that what
 * was interrupted is made again; a lock keeps windows from working at the same time.
 */

import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as vscode from "vscode";
import { messageOf, type Tool, ToolchainError } from "../parts";
import { alone } from "./lock";
import { inPython, type Origin } from "./origins";
import { exists, type Outcome, run } from "./processes";

const READY = "ready";
const COMPLETE = "complete";
const STILL_USED_MINUTES = 10;

// Without these pip may install elsewhere, ask, or try for minutes where there is no network.
const PIP: NodeJS.ProcessEnv = {
  PIP_USER: "0",
  PIP_TARGET: undefined,
  PIP_PREFIX: undefined,
  PIP_ROOT: undefined,
  PIP_REQUIRE_VIRTUALENV: undefined,
  PIP_NO_INPUT: "1",
  PIP_PROGRESS_BAR: "off",
  PIP_RETRIES: process.env.PIP_RETRIES ?? "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
};

// Pure-Python wheels are archives of what belongs into site-packages.
const UNPACK = `
import sys, sysconfig, zipfile
for wheel in sys.argv[1:]:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(sysconfig.get_path("purelib"))
`;

/** Makes the environment of one version of the wheels, and completes it. */
export class PrivateEnvironment {
  private readonly folder: string;
  private readonly python: string;
  private completion: Promise<void> | undefined;
  private isKept = false;

  /** `storage` is the folder that holds the environments of all versions. */
  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly storage: string,
    private readonly wheels: Wheels,
    private readonly basePython: () => Promise<string>,
    private readonly subscriptions: vscode.Disposable[],
  ) {
    this.folder = join(storage, `${wheels.version}-${wheels.hash}`);
    const windows = process.platform === "win32";
    this.python = join(this.folder, ...(windows ? ["Scripts", "python.exe"] : ["bin", "python"]));
  }

  /** The programs, once the language server can be started. */
  async origin(): Promise<Origin> {
    await mkdir(this.storage, { recursive: true });
    if (!(await this.isReady())) {
      await withProgress(vscode.ProgressLocation.Notification, "setting up Python", () =>
        alone(`${this.folder}.lock`, () => this.make()),
      );
    }
    this.keepUsed();
    // Another window may remove the same folder.
    await removeUnused(this.log, this.storage, this.folder).catch((error: unknown) =>
      this.log.warn(messageOf(error)),
    );
    const origin = inPython(this.python, "a private environment of the extension");
    const prepare = (tool: Tool) => this.prepare(tool);
    return { ...origin, prepare, completeQuietly: () => this.completeQuietly() };
  }

  private async completeQuietly(): Promise<void> {
    await this.complete(vscode.ProgressLocation.Window).catch((error: unknown) =>
      this.log.warn(`${messageOf(error)} It is tried again when something is run.`),
    );
  }

  /** The debugger and `ipu-run` calculate with compiled packages. */
  private async prepare(tool: Tool): Promise<void> {
    if (tool !== "dap" && tool !== "run") {
      return;
    }
    const pending = this.completion;
    if (pending !== undefined) {
      await withProgress(vscode.ProgressLocation.Notification, "installing numpy", () => pending)
        .catch(() => undefined);
    }
    await this.complete(vscode.ProgressLocation.Notification);
  }

  private async isReady(): Promise<boolean> {
    if (!(await exists(join(this.folder, READY)))) {
      return false;
    }
    // The Python that it was made from may be gone.
    return (await this.run(["-c", "import ipu_lsp"], 30)).status === 0;
  }

  private async make(): Promise<void> {
    if (await this.isReady()) {
      return;
    }
    const began = Date.now();
    const base = await this.basePython();
    this.log.info(`Making ${this.folder} with ${base}`);
    await rm(this.folder, { recursive: true, force: true });
    // Without pip: that takes most of the time, and Debian has it in a package of its own.
    const made = await this.run(["-m", "venv", "--without-pip", this.folder], 120, base);
    this.check(made, "making a virtual environment", "Has this Python the module venv?");
    const unpacked = await this.run(["-c", UNPACK, ...this.wheels.files], 120);
    this.check(unpacked, "unpacking the packages that the extension carries", "");
    await writeFile(join(this.folder, READY), `${base}\n`);
    this.log.info(`Made it in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }

  private complete(where: vscode.ProgressLocation): Promise<void> {
    this.completion ??= this.fetch(where).finally(() => (this.completion = undefined));
    return this.completion;
  }

  private async fetch(where: vscode.ProgressLocation): Promise<void> {
    const done = join(this.folder, COMPLETE);
    if (await exists(done)) {
      return;
    }
    await withProgress(where, "installing numpy for the emulator", () =>
      alone(`${this.folder}.lock`, async () => {
        if (!(await exists(done))) {
          await this.install();
          await writeFile(done, "");
        }
      }),
    );
  }

  private async install(): Promise<void> {
    await this.ensurePip();
    const options = ["--only-binary", ":all:", "--no-warn-script-location"];
    const args = ["-m", "pip", "install", ...options, ...this.wheels.compiled];
    this.check(
      await this.run(args, 1800),
      "installing numpy and ml_dtypes, which the debugger needs,",
      "Connect to the network and try again, or name a Python with ipu-asm in the setting " +
        "ipu.interpreter.",
    );
  }

  private async ensurePip(): Promise<void> {
    if ((await this.run(["-m", "pip", "--version"], 60)).status === 0) {
      return;
    }
    this.check(
      await this.run(["-m", "ensurepip", "--default-pip"], 300),
      "installing pip",
      "Is the module ensurepip of this Python installed? " +
        "On Debian and Ubuntu it is in the package python3-venv.",
    );
  }

  private run(args: readonly string[], seconds: number, python = this.python): Promise<Outcome> {
    return run(this.log, python, args, { cwd: this.storage, seconds, env: PIP });
  }

  private check(outcome: Outcome, what: string, advice: string): void {
    const printed = [outcome.output, outcome.errors].map((text) => text.trim()).filter(Boolean);
    if (printed.length) {
      this.log.info(printed.join("\n"));
    }
    if (outcome.status !== 0) {
      const last = outcome.errors.split("\n").at(-1) ?? "";
      throw new ToolchainError(`IPU Assembly: ${what} failed (${last}). ${advice}`.trim());
    }
  }

  /** While a window uses an environment, others do not remove it. */
  private keepUsed(): void {
    if (this.isKept) {
      return;
    }
    this.isKept = true;
    const touch = () => {
      const now = new Date();
      utimes(join(this.folder, READY), now, now).catch(() => undefined);
    };
    touch();
    const timer = setInterval(touch, STILL_USED_MINUTES * 60_000);
    this.subscriptions.push(new vscode.Disposable(() => clearInterval(timer)));
  }
}

function withProgress<Value>(
  location: vscode.ProgressLocation,
  title: string,
  work: () => Promise<Value>,
): Promise<Value> {
  const options = { location, title: `IPU Assembly: ${title}` };
  return Promise.resolve(vscode.window.withProgress(options, work));
}

const REMOVED_AFTER_MS = 60 * 60_000;

/** Remove what lies beside `kept` and has not been used by any window for an hour. */
async function removeUnused(
  log: vscode.LogOutputChannel,
  storage: string,
  kept: string,
): Promise<void> {
  const entries = await readdir(storage, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== basename(kept));
  for (const { name } of folders) {
    const folder = join(storage, name);
    if (await isUnused(folder)) {
      log.info(`Removing ${folder}`);
      await remove(folder).catch((error: unknown) => log.warn(messageOf(error)));
    }
  }
}

async function isUnused(folder: string): Promise<boolean> {
  const last = (await stat(join(folder, "ready")).catch(() => stat(folder))).mtimeMs;
  return Date.now() - last > REMOVED_AFTER_MS;
}

/** First what says that it can be used: what is half removed is not. */
async function remove(folder: string): Promise<void> {
  await rm(join(folder, "ready"), { force: true });
  await rm(folder, { recursive: true, force: true });
}

/** Our wheel and the pure-Python wheels that it needs, and what is compiled. */
interface Wheels {
  readonly version: string;
  /** Of the content of all of them. */
  readonly hash: string;
  readonly files: readonly string[];
  /** Requirements such as `numpy>=2.0`. */
  readonly compiled: readonly string[];
}

/** What lies in a folder of wheels. */
export async function readWheels(folder: string): Promise<Wheels> {
  const text = await readFile(join(folder, "manifest.json"), "utf8").catch(() => {
    throw new ToolchainError(
      "This build of the extension carries no Python packages. " +
        "Name a Python with ipu-asm in the setting ipu.interpreter.",
    );
  });
  const { version, hash, wheels, compiled } = JSON.parse(text);
  const files = wheels.map((name: string) => join(folder, name));
  return { version, hash, files, compiled };
}
