/** The cells of one region: as many in a row as there is room for, reachable by the arrow keys. */

import type { RunAccess, RunMemory, RunRegion } from "../../memoryMap/messages";
import { element, withRole } from "../slotGrid/html";
import { cellText, useOf } from "./run";

/** What is done with a cell: it is pointed at or focused; it is pressed. */
export interface CellActions {
  readonly choose: (cell: number) => void;
  readonly open: (cell: number) => void;
}

/** Buttons in a roving tab order. */
export class CellGrid {
  readonly element: HTMLElement;
  private readonly cells: HTMLButtonElement[];
  private active = 0;

  constructor(run: RunMemory, region: RunRegion, most: number, actions: CellActions) {
    const label = `Parts of ${region.name}, ${region.cellSize} bytes each`;
    this.element = withRole(element("div", "cells"), "toolbar", { label });
    this.cells = region.cells.map((_, number) => drawCell(run, region, number, most));
    this.cells.forEach((cell, number) => {
      cell.addEventListener("focus", () => {
        this.rove(number);
        actions.choose(number);
      });
      cell.addEventListener("pointerenter", () => actions.choose(number));
      cell.addEventListener("click", () => actions.open(number));
    });
    this.rove(0);
    this.element.append(...this.cells);
    this.element.addEventListener("keydown", (event) => this.press(event));
  }

  /** Make a cell the one that Tab leads to; focus it if the page had the focus in its place. */
  choose(number: number, takesFocus: boolean): void {
    this.rove(number);
    if (takesFocus) {
      // It is in the page only after this.
      queueMicrotask(() => this.cells[number]?.focus());
    }
  }

  private rove(number: number): void {
    this.cells[this.active]?.setAttribute("tabindex", "-1");
    this.active = number;
    this.cells[number]?.setAttribute("tabindex", "0");
  }

  private press(event: KeyboardEvent): void {
    const last = this.cells.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: this.active - 1,
      ArrowRight: this.active + 1,
      ArrowUp: this.active - this.columns,
      ArrowDown: this.active + this.columns,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.cells[Math.max(0, Math.min(last, target))]?.focus();
    }
  }

  /** How many cells are in a row now. */
  private get columns(): number {
    const top = this.cells[0]?.offsetTop;
    const next = this.cells.findIndex((cell) => cell.offsetTop !== top);
    return next < 0 ? this.cells.length : next;
  }
}

function drawCell(
  run: RunMemory,
  region: RunRegion,
  number: number,
  most: number,
): HTMLButtonElement {
  const [reads, writes, planned] = region.cells[number] ?? [0, 0, 0];
  const use = useOf(reads, writes);
  const due = useOf(planned & 1, planned & 2);
  const cell = element("button", `cell ${use ?? (due ? `${due} due` : "idle")}`);
  cell.type = "button";
  if (use) {
    const heat = most > 1 ? Math.log(Math.max(reads, writes)) / Math.log(most) : 1;
    cell.style.setProperty("--heat", `${Math.round(25 + 70 * heat)}%`);
  }
  const isLast = (access: RunAccess | null) => touches(region, number, access);
  cell.classList.toggle("last-read", isLast(run.lastRead));
  cell.classList.toggle("last-write", isLast(run.lastWrite));
  const marks = [
    ...(isLast(run.lastRead) ? ["last read"] : []),
    ...(isLast(run.lastWrite) ? ["last write"] : []),
  ];
  const words = [cellText(region, number), ...marks].join(", ");
  cell.setAttribute("aria-label", words);
  cell.title = words;
  return cell;
}

function touches(region: RunRegion, number: number, access: RunAccess | null): boolean {
  const start = region.cellStart + number * region.cellSize;
  const end = Math.min(region.end, start + region.cellSize);
  return !!access && access.start < end && start < access.start + access.size;
}
