/** Kernels that are templates: breakpoints in their loops, and their expansion in their place. */

import assert from "node:assert/strict";
import * as vscode from "vscode";
import { expressionProvider } from "../../src/debug/expressions";
import type { Parts } from "../../src/parts";
import { ended, moved, standing, value } from "./debugSessions";
import { extension, runs, soon, workspace } from "./extension";
import { opened } from "./steps";
import { suite } from "./suite";

const TEMPLATE = `{% set k_index = "lr5" %} {# the row #}
set {{ k_index }} 0;;
{% for row in range(rows) %}
incr {{ k_index }} 2;;
{% endfor %}
bkpt;;
`;

const ROWS = { define: { rows: 3 } };

export const run = suite({
  "a breakpoint in a loop of a template stops in each iteration": async () => {
    await opened("template.s", TEMPLATE);
    const place = new vscode.Location(workspace("template.s"), new vscode.Position(3, 0));
    const breakpoint = new vscode.SourceBreakpoint(place);
    vscode.debug.addBreakpoints([breakpoint]);
    const session = await standing("template.s", ROWS);
    const stacks: string[][] = [];
    for (let row = 0; row < 3; row++) {
      await moved(session, "continue");
      const { stackFrames } = await session.customRequest("stackTrace", { threadId: 1 });
      stacks.push(stackFrames.map(({ name, line }: Frame) => `${name}, line ${line}`));
    }
    assert.deepEqual(stacks, [0, 1, 2].map((row) => [
      `bundle ${row + 1}, line 4`,
      `for row = ${row}, line 3`,
    ]));
    assert.equal(await value(session, "k_index"), "4 was 2");
    vscode.debug.removeBreakpoints([breakpoint]);
    await ended();
  },

  "a name in a template stands for its register under the pointer": async () => {
    const document = await opened("template.s", TEMPLATE);
    await runs();
    const { server } = await extension();
    const provider = expressionProvider({ server } as unknown as Parts);
    const { token } = new vscode.CancellationTokenSource();
    const at = new vscode.Position(1, document.lineAt(1).text.indexOf("k_index") + 1);
    const found = await provider.provideEvaluatableExpression(document, at, token);
    assert.equal(found?.expression, "k_index");
    assert.equal(document.getText(found?.range), "{{ k_index }}");
  },

  "the expansion is opened in place of the template, and the template again": async () => {
    await opened("template.s", TEMPLATE);
    await runs();
    const session = await standing("template.s", ROWS);
    await moved(session, "next");
    await vscode.commands.executeCommand("ipu.switchDebuggedSource");
    const expansion = await soon(shown, (text) => text.includes("incr lr5 2;;"));
    assert.ok(!expansion.includes("{{"));
    await vscode.commands.executeCommand("ipu.switchDebuggedSource");
    await soon(shown, (text) => text === TEMPLATE);
    await ended();
  },
});

interface Frame {
  readonly name: string;
  readonly line: number;
}

/** The text in the editor. */
function shown(): string {
  return vscode.window.activeTextEditor?.document.getText() ?? "";
}
