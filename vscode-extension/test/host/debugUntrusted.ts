/** In a workspace that is not trusted nothing is debugged. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { launch } from "../../src/debug/configurations";
import { ConfigurationResolver } from "../../src/debug/resolver";
import type { Parts } from "../../src/parts";
import { extension, workspace } from "./extension";
import { suite } from "./suite";

export const run = suite({
  "a configuration is refused before an adapter is looked for": async () => {
    await extension();
    assert.equal(vscode.workspace.isTrusted, false);
    const toolchain = { commandLine: () => assert.fail("a program was looked for") };
    const resolver = new ConfigurationResolver({ toolchain } as unknown as Parts);
    const given = launch("a kernel", workspace("loop.s").fsPath);
    const folder = vscode.workspace.workspaceFolders?.[0];
    const made = await resolver.resolveDebugConfigurationWithSubstitutedVariables(folder, given);
    assert.equal(made, undefined);
  },
});
