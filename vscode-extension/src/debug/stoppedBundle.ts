/** The bundle that is executed next: all of its lines are marked, as Code marks the first. */

import * as vscode from "vscode";
import { DEBUG_TYPE } from "./configurations";

/** Where the next bundle is written, and the frame that stands there. */
export interface StoppedBundle {
  readonly path: string;
  readonly range: vscode.Range;
  readonly frameId: number;
}

interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The bundle of the selected frame; none where that is no frame of a source on the disk. */
export async function stoppedBundle(): Promise<StoppedBundle | undefined> {
  const item = vscode.debug.activeStackItem;
  if (!(item instanceof vscode.DebugStackFrame) || item.session.type !== DEBUG_TYPE) {
    return undefined;
  }
  const { session, threadId, frameId } = item;
  try {
    const { stackFrames } = await session.customRequest("stackTrace", { threadId, levels: 1 });
    const [{ id, source, line, column }] = stackFrames;
    if (id !== frameId || !source?.path) {
      return undefined;
    }
    // The frame has a beginning alone: with an end, Code would select the bundle.
    const { targets } = await session.customRequest("gotoTargets", { source, line, column });
    const [place]: readonly Place[] = targets;
    return place && { path: fileOf(source.path), range: rangeOf(place), frameId };
  } catch {
    return undefined; // the machine runs again
  }
}

/** The file of a source. In a remote window its path has become an address. */
function fileOf(path: string): string {
  return path.includes("://") ? vscode.Uri.parse(path).fsPath : path;
}

function rangeOf({ line, column, endLine, endColumn }: Place): vscode.Range {
  return new vscode.Range(line - 1, column - 1, endLine - 1, endColumn - 1);
}

/** Marks the lines of the stopped bundle after its first one, while it is stopped. */
export function markStoppedBundle(): vscode.Disposable {
  const mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
  });
  const paint = async (): Promise<void> => {
    const found = await stoppedBundle();
    const later = found?.range.with(found.range.start.translate(1).with({ character: 0 }));
    for (const editor of vscode.window.visibleTextEditors) {
      const isHere = found && later && editor.document.uri.fsPath === found.path;
      editor.setDecorations(mark, isHere && !found.range.isSingleLine ? [later] : []);
    }
  };
  return vscode.Disposable.from(
    mark,
    vscode.debug.onDidChangeActiveStackItem(() => void paint()),
    vscode.window.onDidChangeVisibleTextEditors(() => void paint()),
  );
}
