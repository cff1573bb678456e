/** Which word under the pointer is a value while a program stands still. */

import * as vscode from "vscode";
import type { Parts } from "../parts";
import { stoppedBundle } from "./stoppedBundle";

interface Highlight {
  readonly range: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly character: number;
}

const METHOD = "textDocument/documentHighlight";
const INLINE = "textDocument/inlineValue";

/** A name that the adapter can evaluate; a distance such as `+2` is none. */
const NAME = /^[A-Za-z_]\w*$/;

/** An output of a template that is nothing but a name, which the adapter knows. */
const OUTPUT = /\{\{[-+]?\s*([A-Za-z_]\w*)\s*[-+]?\}\}/;

/**
 * Registers and labels are values, mnemonics and keywords are not. The language server knows which
 * is which: it lights up the one and not the other.
 */
export function expressionProvider(parts: Parts): vscode.EvaluatableExpressionProvider {
  return {
    async provideEvaluatableExpression(document, position, token) {
      const output = document.getWordRangeAtPosition(position, OUTPUT);
      if (output) {
        const name = OUTPUT.exec(document.getText(output))?.[1];
        return new vscode.EvaluatableExpression(output, name);
      }
      const operand = await operandOfNextBundle(parts, document, position, token);
      if (operand) {
        return operand;
      }
      const ranges = await highlighted(parts, document, position, token);
      const found = ranges.find((range) => range.contains(position));
      return found && NAME.test(document.getText(found))
        ? new vscode.EvaluatableExpression(found)
        : undefined;
    },
  };
}

/** A value that the server shows after a line of the next bundle: `lr2@mult.ve`. */
interface InlineValue {
  readonly range: Highlight["range"];
  readonly expression?: string;
}

/**
 * The register under the pointer as its instruction in the next bundle sees it, which is what the
 * line says after it; none elsewhere.
 */
async function operandOfNextBundle(
  parts: Parts,
  document: vscode.TextDocument,
  position: vscode.Position,
  token: vscode.CancellationToken,
): Promise<vscode.EvaluatableExpression | undefined> {
  const bundle = await stoppedBundle();
  if (bundle?.path !== document.uri.fsPath || !bundle.range.contains(position)) {
    return undefined;
  }
  const { frameId } = bundle;
  // As JSON, a range of Code is a list, which the protocol does not know.
  const { start, end } = bundle.range;
  const range = { start, end };
  const parameters = {
    textDocument: { uri: document.uri.toString() },
    range,
    context: { frameId, stoppedLocation: range },
  };
  const asked = parts.server.request<InlineValue[] | null>(INLINE, parameters, token);
  const values = (await asked.catch(() => null)) ?? [];
  const found = values.find(
    (value) => value.expression?.includes("@") && rangeOf(value.range).contains(position),
  );
  return found && new vscode.EvaluatableExpression(rangeOf(found.range), found.expression);
}

/** The places that the server lights up for one; none while there is no server. */
async function highlighted(
  parts: Parts,
  { uri }: vscode.TextDocument,
  { line, character }: vscode.Position,
  token: vscode.CancellationToken,
): Promise<vscode.Range[]> {
  const parameters = { textDocument: { uri: uri.toString() }, position: { line, character } };
  const asked = parts.server.request<Highlight[] | null>(METHOD, parameters, token);
  const found = await asked.catch(() => null);
  return (found ?? []).map(({ range }) => rangeOf(range));
}

function rangeOf({ start, end }: Highlight["range"]): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}
