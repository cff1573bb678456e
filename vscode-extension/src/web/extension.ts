/** The entry in a browser: all that starts no program, and the language server in a worker. */

import * as vscode from "vscode";
import { type Api, start, stop } from "../activation";
import { registerCommands } from "../commands";
import { NEEDS_DISK } from "../commands/subject";
import { DEBUG_TYPE } from "../debug/configurations";
import { registerListing } from "../listing";
import { registerMemoryMap } from "../memoryMap";
import type { Part } from "../parts";
import { registerSlotGrid } from "../slotGrid";
import type { ToolchainControl } from "../toolchain";
import { WorkerClient } from "./workerClient";

const REFUSED = [
  "ipu.debugKernel",
  "ipu.runKernel",
  "ipu.profileKernel",
  "ipu.toggleProfile",
  "ipu.coverKernel",
  "ipu.showVectors",
];

export function activate(context: vscode.ExtensionContext): Api {
  const parts = [registerSlotGrid, registerMemoryMap, registerListing, registerCommands, refuse];
  return start(context, { newToolchain, client: WorkerClient, parts });
}

export { stop as deactivate };

/** There is one program, and it is loaded instead of started. */
function newToolchain({ extensionUri }: vscode.ExtensionContext): ToolchainControl {
  const worker = vscode.Uri.joinPath(extensionUri, "dist", "web", "worker", "worker.js");
  const line = { command: worker.toString(true), args: [], origin: "this browser" };
  return {
    commandLine: () => Promise.resolve(line),
    onDidChange: new vscode.EventEmitter<void>().event,
    completeQuietly: () => Promise.resolve(),
  };
}

/** What starts a program says why it cannot. */
const refuse: Part = () => {
  const say = () => void vscode.window.showErrorMessage(NEEDS_DISK);
  return [
    ...REFUSED.map((name) => vscode.commands.registerCommand(name, say)),
    vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, {
      resolveDebugConfiguration: () => (say(), undefined),
    }),
  ];
};
