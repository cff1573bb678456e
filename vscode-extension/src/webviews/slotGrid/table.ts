/** The grid itself: only the rows in sight are in the page, so its length costs nothing. */

import type { Grid } from "../../slotGrid/messages";
import { type Columns, columnsOf } from "./columns";
import { element, withRole } from "./html";
import { innermost, nested, type NestedLoop } from "./loops";
import { drawRow, type RowContext } from "./row";

/** The same as `--row` in the style sheet. */
const ROW_PX = 24;
const HEADING_PX = 26;
/** Rows above and below the visible ones, so that scrolling does not show gaps. */
const SPARE_ROWS = 12;

/** Which instruction was chosen; see `FromPage`. */
export interface Choice {
  readonly row: number;
  readonly slot: number | null;
  readonly index: number;
  readonly focus: boolean;
}

/** Draws a grid and moves about in it. */
export class GridTable {
  readonly element = element("div", "table");
  active: ActiveCell = { row: 0, column: 0 };
  private readonly headings = withRole(element("div", "row headings"), "row", { rowindex: 1 });
  private readonly body = withRole(element("div", "body"), "rowgroup");
  private grid: Grid | undefined;
  private columns: Columns = { columns: [], headings: [], unused: [], isWide: false };
  private loops: readonly NestedLoop[] = [];
  private readonly drawn = new Map<number, HTMLElement>();
  private current: number | null = null;

  constructor(
    private readonly choose: (choice: Choice) => void,
    private readonly changed: () => void,
  ) {
    const top = withRole(element("div", "top"), "rowgroup");
    top.append(this.headings);
    this.element.append(top, this.body);
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event, false));
    this.body.addEventListener("dblclick", (event) => this.clicked(event, true));
    this.body.addEventListener("focusin", (event) => this.focused(event));
    this.body.addEventListener("keydown", (event) => this.pressed(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Draw the grid of a program. */
  show(file: string, grid: Grid): void {
    this.grid = grid;
    this.columns = columnsOf(grid);
    this.loops = nested(grid.loops);
    const { columns } = this.columns;
    withRole(this.element, "grid", {
      label: `${file}: ${grid.unit}s by slots`,
      rowcount: grid.rows.length + 1,
      colcount: columns.length,
    });
    const widths = columns.map(({ least, width }) => `minmax(${least}, ${width})`);
    const least = columns.map((column) => column.least);
    this.element.style.setProperty("--columns", widths.join(" "));
    this.element.style.setProperty("--least", `calc(${least.join(" + ")})`);
    this.element.style.setProperty("--depth", String(this.depth));
    this.body.style.height = `${grid.rows.length * ROW_PX}px`;
    this.drawHeadings();
    this.active = this.within(this.active);
    this.redraw();
  }

  /** Whether cells show whole instructions. */
  get isWide(): boolean {
    return this.columns.isWide;
  }

  get unused(): readonly string[] {
    return this.columns.unused;
  }

  /** Scroll to where it was left. */
  place(top: number, active: ActiveCell | undefined): void {
    this.active = this.within(active ?? { row: 0, column: 0 });
    this.element.scrollTop = top;
    this.redraw();
  }

  /** Mark the row of the cursor, and the loop around it. */
  setCurrent(row: number | null): void {
    if (row !== this.current) {
      this.current = row;
      this.redraw();
    }
    if (row !== null) {
      this.bringIntoSight(row, true);
    }
  }

  /** Go to a row as if it had been clicked. */
  select(row: number): void {
    this.active = this.within({ row, column: this.active.column });
    this.bringIntoSight(row, true);
    this.redraw();
    this.choose({ row, slot: null, index: 0, focus: false });
  }

  private get depth(): number {
    return Math.min(5, this.loops.reduce((most, loop) => Math.max(most, loop.depth + 1), 0));
  }

  private within({ row, column }: ActiveCell): ActiveCell {
    const rows = this.grid?.rows.length ?? 0;
    return {
      row: Math.max(0, Math.min(row, rows - 1)),
      column: Math.max(0, Math.min(column, this.columns.columns.length - 1)),
    };
  }

  private drawHeadings(): void {
    let column = 1;
    const made = this.columns.headings.map(({ name, title, span }) => {
      const heading = element("div", "heading", name);
      heading.style.gridColumn = `span ${span}`;
      heading.title = title;
      withRole(heading, "columnheader", { colindex: column, colspan: span, label: title });
      column += span;
      return heading;
    });
    this.headings.replaceChildren(...made);
  }

  /** Draw all rows in sight again. */
  private redraw(): void {
    const hadFocus = this.body.contains(document.activeElement);
    this.drawn.clear();
    this.body.replaceChildren();
    this.draw();
    if (hadFocus) {
      this.focusActive();
    }
  }

  /** Draw the rows that have come into sight, and forget those that have left it. */
  private draw(): void {
    const { grid } = this;
    if (!grid) {
      return;
    }
    const wanted = this.wanted(grid.rows.length);
    for (const [row, drawn] of this.drawn) {
      if (!wanted.has(row)) {
        drawn.remove();
        this.drawn.delete(row);
      }
    }
    const context = this.context(grid);
    for (const row of wanted) {
      if (!this.drawn.has(row)) {
        const made = drawRow(context, row);
        made.style.transform = `translateY(${row * ROW_PX}px)`;
        this.drawn.set(row, made);
        this.body.append(made);
      }
    }
  }

  private wanted(rows: number): Set<number> {
    const first = Math.floor(this.element.scrollTop / ROW_PX) - SPARE_ROWS;
    const last = Math.ceil((this.element.scrollTop + this.element.clientHeight) / ROW_PX);
    const wanted = new Set<number>();
    for (let row = Math.max(0, first); row < Math.min(rows, last + SPARE_ROWS); row++) {
      wanted.add(row);
    }
    // It holds the focus, which must not be lost by scrolling.
    return rows ? wanted.add(this.active.row) : wanted;
  }

  private context(grid: Grid): RowContext {
    const loop = innermost(this.loops, this.current);
    const { loops, columns, current, active } = this;
    return { grid, columns, loops, loop, current, active };
  }

  private scrolled(): void {
    this.draw();
    this.changed();
  }

  private bringIntoSight(row: number, isFromAfar: boolean): void {
    const { element: view } = this;
    const room = view.clientHeight - HEADING_PX;
    const top = row * ROW_PX;
    const isAbove = top < view.scrollTop;
    if (isAbove || top + ROW_PX > view.scrollTop + room) {
      const near = isAbove ? top : top + ROW_PX - room;
      view.scrollTop = isFromAfar ? top - (room - ROW_PX) / 2 : near;
    }
  }

  private cellOf(target: EventTarget | null): ActiveCell | undefined {
    const cell = target instanceof Element ? target.closest<HTMLElement>("[data-column]") : null;
    const row = cell?.closest<HTMLElement>("[data-row]");
    return cell && row
      ? { row: Number(row.dataset["row"]), column: Number(cell.dataset["column"]) }
      : undefined;
  }

  private clicked(event: MouseEvent, isDouble: boolean): void {
    const cell = this.cellOf(event.target);
    if (cell) {
      this.activate(cell);
      this.goTo(cell, isDouble || event.ctrlKey || event.metaKey);
    }
  }

  private focused(event: FocusEvent): void {
    const cell = this.cellOf(event.target);
    if (cell) {
      this.activate(cell, false);
    }
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "Enter" || event.key === " ") {
      this.goTo(this.active, event.ctrlKey || event.metaKey);
    } else {
      const page = Math.max(1, Math.floor(this.element.clientHeight / ROW_PX) - 2);
      const rows = this.grid?.rows.length ?? 0;
      const next = moved(this.active, event, page, this.columns.columns.length, rows);
      if (!next) {
        return;
      }
      this.activate(next);
    }
    event.preventDefault();
  }

  /** Make a cell the one that the Tab key comes to. */
  private activate(cell: ActiveCell, takesFocus = true): void {
    this.cell(this.active)?.setAttribute("tabindex", "-1");
    this.active = this.within(cell);
    this.bringIntoSight(this.active.row, false);
    this.draw();
    this.cell(this.active)?.setAttribute("tabindex", "0");
    if (takesFocus) {
      this.focusActive();
    }
    this.changed();
  }

  private focusActive(): void {
    const cell = this.cell(this.active);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  private cell({ row, column }: ActiveCell): HTMLElement | null | undefined {
    return this.drawn.get(row)?.querySelector<HTMLElement>(`[data-column="${column}"]`);
  }

  private goTo({ row, column }: ActiveCell, focus: boolean): void {
    const found = this.columns.columns[column];
    if (found) {
      this.choose({ row, slot: found.slot, index: found.index, focus });
    }
  }
}

export interface ActiveCell {
  readonly row: number;
  readonly column: number;
}

/** The cell that a key leads to; undefined for a key that is not about cells. */
export function moved(
  { row, column }: ActiveCell,
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  page: number,
  columns: number,
  rows: number,
): ActiveCell | undefined {
  const isFar = ctrlKey || metaKey;
  const targets: Readonly<Record<string, ActiveCell>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? rows - 1 : row, column: columns - 1 },
  };
  const target = targets[key];
  return (
    target && {
      row: Math.max(0, Math.min(target.row, rows - 1)),
      column: Math.max(0, Math.min(target.column, columns - 1)),
    }
  );
}
