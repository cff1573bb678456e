/** A vector as a table: what the picture shows in colours, in words. */

import type { Vector } from "../../vectors/messages";
import { element as make } from "../slotGrid/html";
import { addressOf, differenceText, type Element } from "./elements";

const HEADINGS = ["Element", "Value", "Hex", "Was", "Difference", "Address"] as const;

/** Rows that the arrow keys walk through. */
export class Table {
  readonly element = make("div", "table");
  private readonly body = make("tbody");
  private rows: HTMLTableRowElement[] = [];
  private active = 0;

  constructor(private readonly select: (index: number, isPinned: boolean) => void) {
    const head = make("thead");
    const row = make("tr");
    for (const heading of HEADINGS) {
      const cell = make("th", "", heading);
      cell.scope = "col";
      row.append(cell);
    }
    head.append(row);
    const table = make("table");
    table.append(head, this.body);
    this.element.append(table);
    this.body.addEventListener("keydown", (event) => this.press(event));
  }

  show(vector: Vector, elements: readonly Element[]): void {
    if (this.rows.length !== elements.length) {
      this.rows = elements.map((_, index) => this.row(index));
      this.body.replaceChildren(...this.rows);
      this.rove(Math.min(this.active, elements.length - 1));
    }
    elements.forEach((each, index) => fill(this.rows[index], vector, each));
  }

  mark(index: number | undefined): void {
    this.rows.forEach((row, place) => row.classList.toggle("selected", place === index));
    if (index !== undefined) {
      this.rove(index);
    }
  }

  /** Take the focus to an element. */
  focus(index: number): void {
    this.rows[index]?.focus();
  }

  private row(index: number): HTMLTableRowElement {
    const row = make("tr");
    row.append(...HEADINGS.map((_, column) => make(column ? "td" : "th")));
    row.tabIndex = -1;
    row.addEventListener("click", () => this.select(index, true));
    row.addEventListener("focus", () => this.select(index, true));
    return row;
  }

  private rove(index: number): void {
    this.rows[this.active]?.setAttribute("tabindex", "-1");
    this.active = Math.max(0, index);
    this.rows[this.active]?.setAttribute("tabindex", "0");
  }

  private press(event: KeyboardEvent): void {
    const last = this.rows.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowUp: this.active - 1,
      ArrowDown: this.active + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target !== undefined) {
      event.preventDefault();
      this.rows[Math.max(0, Math.min(target, last))]?.focus();
    }
  }
}

function fill(row: HTMLTableRowElement | undefined, vector: Vector, element: Element): void {
  const { expression, text, hex, before, index, isMasked } = element;
  const difference = before === undefined ? "" : differenceText(element);
  const value = isMasked ? `${text} (masked)` : text;
  const texts = [expression, value, hex, before ?? "", difference, addressOf(vector, index)];
  texts.forEach((each, column) => {
    const cell = row?.cells[column];
    if (cell) {
      cell.textContent = each;
    }
  });
  row?.classList.toggle("changed", before !== undefined);
  row?.classList.toggle("masked", isMasked);
  row?.classList.toggle("wrong", element.expected !== undefined);
}
