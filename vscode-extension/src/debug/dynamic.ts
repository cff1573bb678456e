/** The configurations that the Run and Debug view offers without a launch.json. */

import type * as vscode from "vscode";
import { launch } from "./configurations";

const ACTIVE_FILE = "${file}";

export const dynamicConfigurations: vscode.DebugConfigurationProvider = {
  provideDebugConfigurations: () => [
    launch("Run this kernel", ACTIVE_FILE),
    launch("Run this kernel, stop on entry", ACTIVE_FILE, { stopOnEntry: true }),
  ],
};
