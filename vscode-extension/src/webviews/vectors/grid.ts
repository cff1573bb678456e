/** The heat map of a vector: rows of 16 elements. */

import { element as make, withRole } from "../slotGrid/html";
import { differenceText, sentenceAbout, type Element } from "./elements";
import { paint, scaleOf } from "./scale";

export const COLUMNS = 16;

/** Smaller letters than that, in pixels, are not written into the cells. */
const SMALLEST = 8;

/** How wide a letter is for its size, and what a cell keeps free at its sides. */
const LETTER = 0.605;
const MARGIN = 4;

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -COLUMNS,
  ArrowDown: COLUMNS,
};

/** Cells that keep their place and the focus while their values change. */
export class Grid {
  readonly element = withRole(make("div", "grid"), "grid", { label: "Elements" });
  private cells: HTMLElement[] = [];
  private texts: readonly string[] = [];
  private marks: readonly string[] = [];
  private active = 0;

  /** `select` is told which element the pointer or the keyboard is at. */
  constructor(private readonly select: (index: number, isPinned: boolean) => void) {
    this.element.addEventListener("keydown", (event) => this.press(event));
    new ResizeObserver(() => this.write()).observe(this.element);
  }

  show(elements: readonly Element[], isDifference: boolean, name: string): void {
    this.element.setAttribute("aria-label", `Elements of ${name}`);
    if (this.cells.length !== elements.length) {
      this.build(elements.length);
    }
    const values = elements.map(({ value, difference }) => (isDifference ? difference : value));
    const scale = scaleOf(values);
    this.texts = elements.map((each) => (isDifference ? differenceText(each) : each.text));
    this.marks = values.map(mark);
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

  /** Write the numbers as far as all of them fit: half a number is a wrong one. */
  private write(): void {
    const room = (this.cells[0]?.clientWidth ?? 0) - MARGIN;
    const usual = parseFloat(getComputedStyle(this.element).fontSize);
    const longest = this.texts.reduce((most, text) => Math.max(most, text.length), 1);
    const size = Math.min(usual, room / (LETTER * longest));
    const shown = size < SMALLEST ? this.marks : this.texts;
    this.cells.forEach((cell, index) => {
      cell.textContent = shown[index] ?? "";
      cell.style.fontSize = `${Math.max(size, SMALLEST)}px`;
    });
  }

  private build(count: number): void {
    const columns = Math.min(COLUMNS, count);
    this.element.style.setProperty("--columns", String(columns));
    this.cells = Array.from({ length: count }, (_, index) => this.cell(index));
    const rows = [headings(columns)];
    for (let first = 0; first < count; first += COLUMNS) {
      const row = withRole(make("div", "row"), "row");
      const heading = withRole(make("div", "heading", String(first)), "rowheader");
      row.append(heading, ...this.cells.slice(first, first + COLUMNS));
      rows.push(row);
    }
    this.element.replaceChildren(...rows);
    this.rove(Math.min(this.active, count - 1));
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
    const step = STEPS[event.key];
    const row = this.active - (this.active % COLUMNS);
    const isFar = event.ctrlKey || event.metaKey;
    let target: number | undefined;
    if (step !== undefined) {
      target = this.active + step;
    } else if (event.key === "Home") {
      target = isFar ? 0 : row;
    } else if (event.key === "End") {
      target = isFar ? last : Math.min(row + COLUMNS - 1, last);
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
  cell.setAttribute("aria-label", sentenceAbout(element));
}

/** What stands in a cell that has no room for its number: nothing, if there is one. */
function mark(value: number): string {
  if (Number.isFinite(value)) {
    return "";
  }
  return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "-∞";
}

function headings(columns: number): HTMLElement {
  const row = make("div", "row headings");
  row.setAttribute("aria-hidden", "true");
  const numbers = Array.from({ length: columns }, (_, n) => make("div", "heading", String(n)));
  row.append(make("div", "heading"), ...numbers);
  return row;
}
