/** Which word under the pointer is a value while a program stands still. */

import * as vscode from "vscode";
import type { Parts } from "../parts";

interface Highlight {
  readonly range: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly character: number;
}

const METHOD = "textDocument/documentHighlight";

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
      const ranges = await highlighted(parts, document, position, token);
      const found = ranges.find((range) => range.contains(position));
      return found && NAME.test(document.getText(found))
        ? new vscode.EvaluatableExpression(found)
        : undefined;
    },
  };
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
