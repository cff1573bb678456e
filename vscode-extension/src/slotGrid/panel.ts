/** The panel that shows the slot grid of the program that was in the editor last. */

import type * as vscode from "vscode";
import { explained } from "../commands/register";
import { editorOf, nameOf } from "../commands/subject";
import { type PanelView, ProgramPanel } from "../panels/programPanel";
import type { FromPage, Grid, PlacedRow, ToPage } from "./messages";
import { forPage, rangeOf, rowAt } from "./rows";

export const SLOT_GRID: PanelView = {
  type: "ipu.slotGrid",
  command: "ipu.showSlotGrid",
  page: "slotGrid",
  className: "slot-grid",
  title: "Slot grid",
  request: "ipu/slotGrid",
  invitation: "Open an assembly program to see its bundles by slots.",
};

/** Follows the cursor as well. */
export class SlotGridPanel extends ProgramPanel<Grid<PlacedRow>, ToPage> {
  private grid: Grid<PlacedRow> | undefined;

  protected show(document: vscode.TextDocument, grid: Grid<PlacedRow> | undefined): void {
    this.grid = grid;
    if (!grid) {
      return;
    }
    const file = nameOf(document.uri);
    this.panel.title = `Slots: ${file}`;
    this.post({
      kind: "grid",
      uri: document.uri.toString(),
      file,
      grid: forPage(grid),
      current: this.current(editorOf(document)),
    });
  }

  protected hear(message: Extract<FromPage, { kind: "go" }>): void {
    const row = this.grid?.rows[message.row];
    if (row) {
      const range = rangeOf(row, message.slot, message.index);
      void explained(() => this.reveal(range, message.focus));
    }
  }

  protected override move(editor: vscode.TextEditor): void {
    if (editor.document === this.document && this.grid) {
      this.post({ kind: "current", row: this.current(editor) });
    }
  }

  private current(editor: vscode.TextEditor | undefined): number | null {
    return editor && this.grid ? rowAt(this.grid.rows, editor.selection.active) : null;
  }
}
