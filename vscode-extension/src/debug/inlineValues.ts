/** The values after the lines of the next bundle. */

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";

/**
 * What an instruction sees of a register is the value of `lr2@mult.ve`, which the editor would show
 * with all of its name, on a line that says the instruction already: `lr2 = 2 (new)` is enough.
 */
export const provideInlineValues: NonNullable<Middleware["provideInlineValues"]> = async (
  document,
  viewPort,
  context,
  token,
  next,
) => {
  const values = await next(document, viewPort, context, token);
  return values && Promise.all(values.map((value) => shortened(value, context.frameId)));
};

async function shortened(value: vscode.InlineValue, frameId: number): Promise<vscode.InlineValue> {
  const expression = "expression" in value ? (value.expression ?? "") : "";
  const at = expression.indexOf("@");
  const session = vscode.debug.activeDebugSession;
  if (at < 0 || !session) {
    return value;
  }
  const request = { expression, frameId, context: "watch" };
  // A machine that runs meanwhile has no values; the editor then asks for none, either.
  return session.customRequest("evaluate", request).then(
    ({ result }: { result: string }) =>
      new vscode.InlineValueText(value.range, `${expression.slice(0, at)} = ${result}`),
    () => value,
  );
}
