/** The entry on a computer: all parts, and the language server in a process. */

import type * as vscode from "vscode";
import { type Api, start, stop } from "./activation";
import { registerCommands } from "./commands";
import { registerRuns } from "./commands/runs";
import { registerDebug } from "./debug";
import { registerListing } from "./listing";
import { registerMemoryMap } from "./memoryMap";
import { ProcessClient } from "./server/processClient";
import { registerSlotGrid } from "./slotGrid";
import { registerTesting } from "./testing";
import { createToolchain } from "./toolchain";
import { registerVectors } from "./vectors";

export function activate(context: vscode.ExtensionContext): Api {
  const parts = [
    registerDebug,
    registerVectors,
    registerSlotGrid,
    registerMemoryMap,
    registerListing,
    registerCommands,
    registerRuns,
    registerTesting,
  ];
  return start(context, { newToolchain: createToolchain, client: ProcessClient, parts });
}

export { stop as deactivate };
