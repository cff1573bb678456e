/** Draws one row of the grid. */

import type { Cell, Grid, Row } from "../../slotGrid/messages";
import { cellAt, type Column, type Columns, shown } from "./columns";
import { counted, element, withRole } from "./html";
import type { ActiveCell } from "./table";
import { nameOfLoop, type NestedLoop } from "./loops";

/** What rows are drawn from; `loop` is the one around the cursor, `current` its row. */
export interface RowContext {
  readonly grid: Grid;
  readonly columns: Columns;
  readonly loops: readonly NestedLoop[];
  readonly loop: NestedLoop | undefined;
  readonly current: number | null;
  readonly active: ActiveCell;
}

/** The row at an address. */
export function drawRow(context: RowContext, number: number): HTMLElement {
  const row = context.grid.rows[number] as Row;
  const { loop, current, active } = context;
  const made = withRole(element("div", "row"), "row", { rowindex: number + 2 });
  made.dataset["row"] = String(number);
  made.classList.toggle("in-loop", !!loop && isIn(loop, number));
  if (number === current) {
    made.classList.add("current");
    made.setAttribute("aria-current", "location");
  }
  context.columns.columns.forEach((column, place) => {
    const cell = drawCell(context, row, column);
    cell.dataset["column"] = String(place);
    cell.tabIndex = number === active.row && place === active.column ? 0 : -1;
    cell.setAttribute("aria-colindex", String(place + 1));
    made.append(cell);
  });
  return made;
}

function drawCell(context: RowContext, row: Row, column: Column): HTMLElement {
  if (column.kind === "address") {
    return drawAddress(context, row);
  }
  if (column.kind === "label") {
    const made = element("div", "cell label", row.label ?? "");
    made.title = row.label ?? "";
    return withRole(made, "gridcell", { label: row.label ? `label ${row.label}` : "no label" });
  }
  return drawPlace(context, row, column);
}

function drawAddress(context: RowContext, { address, executions }: Row): HTMLElement {
  const { grid, loops, loop } = context;
  const made = element("div", "cell address");
  const around = loops.filter((each) => isIn(each, address));
  made.append(element("span", "number", String(address)), ...around.map((each) => bar(each)));
  const names = around.map((each) => `, in loop ${nameOfLoop(each)}`).join("");
  const runs = typeof executions === "number" ? `, runs ${counted(executions, "time")}` : "";
  made.title = `${grid.unit} ${address}${names}${runs}`;
  return withRole(made, "rowheader", { label: made.title });

  function bar(each: NestedLoop): HTMLElement {
    const drawn = element("i", "bar");
    drawn.style.setProperty("--at", String(Math.min(each.depth, 4)));
    drawn.classList.toggle("first", each.first === address);
    drawn.classList.toggle("last", each.last === address);
    drawn.classList.toggle("around-cursor", each === loop);
    return drawn;
  }
}

function drawPlace({ columns }: RowContext, row: Row, column: Column): HTMLElement {
  const cell = cellAt(row, column);
  const kind = kindOf(cell, column);
  const made = element("div", `cell place ${kind}`);
  if (cell && column.colours) {
    made.style.setProperty("--light", column.colours.light);
    made.style.setProperty("--dark", column.colours.dark);
  }
  made.append(element("span", "box", shown(cell, columns.isWide)));
  const name = column.kind === "stray" ? "without a slot" : column.name;
  const said = kind === "stray" ? "no slot has room for it" : "does nothing";
  const note = kind === "idle" || kind === "stray" ? `, ${said}` : "";
  const cause = !cell && column.slot !== null ? row.causes?.[column.slot] : null;
  const free = cause ? `free: ${cause.text}` : "free";
  made.classList.toggle("open", cause?.kind === "free");
  made.title = cell ? `${cell.text} (${column.name}${note})` : cause ? `${name}: ${cause.text}` : "";
  return withRole(made, "gridcell", { label: `${name}: ${cell ? cell.text + note : free}` });
}

function kindOf(cell: Cell | undefined, column: Column): string {
  if (column.kind === "stray") {
    return cell ? "stray" : "nothing";
  }
  return cell ? (cell.idle ? "idle" : "used") : "free";
}

function isIn(loop: NestedLoop, row: number): boolean {
  return loop.first <= row && row <= loop.last;
}
