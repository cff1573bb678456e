/** The heat map of a vector: rows of 16 elements, of 8 where there is little room. */

import { element as make, withRole } from "../slotGrid/html";
import { differenceText, sentenceAbout, type Element } from "./elements";
import { paint, type Scale } from "./scale";
import { shortened } from "./shortened";

const COLUMNS = 16;
const FEWER_COLUMNS = 8;

/** In fewer pixels, 16 columns have no room for five letters each, a sign and four digits. */
const NARROW = 520;

/** Letters in cells are not smaller than that, in pixels. */
const SMALLEST = 8;

/** So many letters say enough of a number: for more of them, letters do not get smaller. */
const ENOUGH = 6;

/** How wide a letter is for its size, and what a cell keeps free at its sides. */
const LETTER = 0.605;
const MARGIN = 1;

/** What a grid shows of the elements: numbers with their colours, in decimal or in bits. */
export interface Shown {
  readonly values: readonly number[];
  readonly scale: Scale;
  readonly isDifference: boolean;
  readonly isHex: boolean;
}

/** Cells that keep their place and the focus while their values change. */
export class Grid {
  readonly element = withRole(make("div", "grid"), "grid", { label: "Elements" });
  private cells: HTMLElement[] = [];
  private texts: readonly string[] = [];
  private values: readonly number[] = [];
  private active = 0;
  private columns = COLUMNS;

  /** `select` is told which element the pointer or the keyboard is at. */
  constructor(private readonly select: (index: number, isPinned: boolean) => void) {
    this.element.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  show(elements: readonly Element[], { scale, values, isDifference, isHex }: Shown): void {
    if (this.cells.length !== elements.length) {
      this.build(elements.length);
    }
    this.values = isHex ? [] : values;
    this.texts = elements.map((each) => {
      return isDifference ? differenceText(each) : isHex ? each.hex.slice(2) : each.text;
    });
    elements.forEach((each, index) => {
      const cell = this.cells[index];
      if (cell) {
        draw(cell, each);
        paint(cell, scale.shade(values[index] ?? NaN));
      }
    });
    this.write();
  }

  /** Mark the element that is told about below. */
  mark(index: number | undefined): void {
    this.cells.forEach((cell, place) => cell.setAttribute("aria-selected", `${place === index}`));
    if (index !== undefined) {
      this.rove(index);
    }
  }

  /** Take the focus to an element. */
  focus(index: number): void {
    this.cells[index]?.focus();
  }

  /** Write the numbers, those that do not fit with fewer digits: half a number is a wrong one. */
  private write(): void {
    const room = (this.cells[0]?.clientWidth ?? 0) - MARGIN;
    const usual = parseFloat(getComputedStyle(this.element).fontSize);
    const longest = this.texts.reduce((most, text) => Math.max(most, text.length), 1);
    const wanted = this.values.length ? Math.min(longest, ENOUGH) : longest;
    const size = Math.max(SMALLEST, Math.min(usual, room / (LETTER * wanted)));
    const letters = Math.floor(room / (LETTER * size) + 0.01);
    this.cells.forEach((cell, index) => {
      const text = this.texts[index] ?? "";
      const value = this.values[index];
      const isShort = text.length <= letters || value === undefined;
      const shown = isShort ? text : shortened(value, letters);
      cell.textContent = shown;
      cell.style.fontSize = `${size * Math.min(1, letters / Math.max(1, shown.length))}px`;
    });
  }

  /** Make rows of as many elements as there is room for, and write the numbers. */
  private fit(): void {
    const width = this.element.clientWidth;
    const columns = width && width < NARROW ? FEWER_COLUMNS : COLUMNS;
    if (columns !== this.columns) {
      this.columns = columns;
      this.place();
    }
    this.write();
  }

  private build(count: number): void {
    this.cells = Array.from({ length: count }, (_, index) => this.cell(index));
    this.place();
    this.rove(Math.min(this.active, count - 1));
  }

  private place(): void {
    const count = this.cells.length;
    const columns = Math.min(this.columns, count);
    this.element.style.setProperty("--columns", String(columns));
    const rows = [headings(columns)];
    for (let first = 0; first < count; first += this.columns) {
      const row = withRole(make("div", "row"), "row");
      const heading = withRole(make("div", "heading", String(first)), "rowheader");
      row.append(heading, ...this.cells.slice(first, first + this.columns));
      rows.push(row);
    }
    this.element.replaceChildren(...rows);
  }

  private cell(index: number): HTMLElement {
    const cell = withRole(make("div", "cell"), "gridcell");
    cell.tabIndex = -1;
    cell.addEventListener("pointerenter", () => this.select(index, false));
    cell.addEventListener("click", () => this.select(index, true));
    cell.addEventListener("focus", () => this.select(index, true));
    return cell;
  }

  private rove(index: number): void {
    this.cells[this.active]?.setAttribute("tabindex", "-1");
    this.active = Math.max(0, index);
    this.cells[this.active]?.setAttribute("tabindex", "0");
  }

  private press(event: KeyboardEvent): void {
    const last = this.cells.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ArrowUp: -this.columns,
      ArrowDown: this.columns,
    };
    const step = steps[event.key];
    const row = this.active - (this.active % this.columns);
    const isFar = event.ctrlKey || event.metaKey;
    let target: number | undefined;
    if (step !== undefined) {
      target = this.active + step;
    } else if (event.key === "Home") {
      target = isFar ? 0 : row;
    } else if (event.key === "End") {
      target = isFar ? last : Math.min(row + this.columns - 1, last);
    }
    if (target !== undefined) {
      event.preventDefault();
      if (target >= 0 && target <= last) {
        this.cells[target]?.focus();
      }
    }
  }
}

function draw(cell: HTMLElement, element: Element): void {
  cell.classList.toggle("changed", element.before !== undefined);
  cell.classList.toggle("masked", element.isMasked);
  cell.classList.toggle("wrong", element.expected !== undefined);
  cell.setAttribute("aria-label", sentenceAbout(element));
}

function headings(columns: number): HTMLElement {
  const row = make("div", "row headings");
  row.setAttribute("aria-hidden", "true");
  const numbers = Array.from({ length: columns }, (_, n) => make("div", "heading", String(n)));
  row.append(make("div", "heading"), ...numbers);
  return row;
}
