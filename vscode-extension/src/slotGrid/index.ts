/** The slot grid: bundles by slots, beside the program. */

import * as vscode from "vscode";
import { explained } from "../commands/register";
import { editorOf, nameOf } from "../commands/subject";
import { panelPart, type PanelView, ProgramPanel } from "../panels/programPanel";
import type { Colours, FromPage, Grid, Place, PlacedRow, Range, Row, ToPage } from "./messages";

const SLOT_GRID: PanelView = {
  type: "ipu.slotGrid",
  command: "ipu.showSlotGrid",
  page: "slotGrid",
  className: "slot-grid",
  title: "Slot grid",
  request: "ipu/slotGrid",
  invitation: "Open an assembly program to see its bundles by slots.",
};

/** Follows the cursor as well. */
class SlotGridPanel extends ProgramPanel<Grid<PlacedRow>, ToPage> {
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
      grid: forPage(grid, coloursOf(document.languageId)),
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

/**
 * The row that a place of the text belongs to: the bundle around it or ahead of it on its line,
 * else the next one, for comments are written above what they are about.
 */
export function rowAt(rows: readonly PlacedRow[], place: Place): number | null {
  const next = firstBehind(rows, place);
  const before = rows[next - 1];
  if (before && (isAtMost(place, before.range.end) || place.line === before.range.end.line)) {
    return next - 1;
  }
  return next < rows.length ? next : null;
}

/** Where an instruction stands, or the beginning of the bundle where there is none. */
export function rangeOf(row: PlacedRow, slot: number | null, index: number): Range {
  const cells = slot === null ? undefined : (row.cells[slot] ?? row.strays);
  return cells?.[index]?.range ?? { start: row.range.start, end: row.range.start };
}

/** The grid without what only the extension needs: a large program makes a large message. */
export function forPage(grid: Grid<PlacedRow>, colours = new Map<string, Colours>()): Grid {
  const slots = grid.slots.map((slot) => ({ ...slot, colours: colours.get(slot.name) }));
  return { ...grid, slots, rows: grid.rows.map(withoutRanges) };
}

const SLOT_RULE = /^function\.(\w+):(.+)$/;

/** The colours that the settings give to the slots of a language: ours, unless the user has others. */
function coloursOf(languageId: string): Map<string, Colours> {
  const found = new Map<string, Colours>();
  const themes = vscode.workspace
    .getConfiguration("editor")
    .get<Record<string, { readonly rules?: object }>>("semanticTokenColorCustomizations", {});
  for (const [theme, { rules }] of Object.entries(themes)) {
    for (const [rule, colour] of Object.entries(rules ?? {})) {
      const [, slot, language] = SLOT_RULE.exec(rule) ?? [];
      if (slot && language === languageId && typeof colour === "string") {
        const { light, dark } = found.get(slot) ?? { light: colour, dark: colour };
        found.set(slot, theme.includes("Light") ? { light: colour, dark } : { light, dark: colour });
      }
    }
  }
  return found;
}

function withoutRanges({ cells, strays, address, label, executions, causes }: PlacedRow): Row {
  const bare = ({ mnemonic, text, idle }: Row["strays"][number]) => ({ mnemonic, text, idle });
  const bareCells = cells.map((some) => some.map(bare));
  return { address, label, cells: bareCells, strays: strays.map(bare), executions, causes };
}

/** The first row that begins after a place. */
function firstBehind(rows: readonly PlacedRow[], place: Place): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && isAtMost(row.range.start, place)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function isAtMost(one: Place, other: Place): boolean {
  return one.line < other.line || (one.line === other.line && one.character <= other.character);
}

export const registerSlotGrid = panelPart(
  SLOT_GRID,
  (parts, panel) => new SlotGridPanel(parts, panel, SLOT_GRID),
);
