/** One pinned vector: what it is, how to see it, the picture, the element that is pointed at. */

import type { Card, FromPage, Pin, Vector } from "../../vectors/messages";
import { element as make, withRole } from "../slotGrid/html";
import { addressOf, differencesOf, differenceText, type Element, elementsOf } from "./elements";
import { Grid, type Shown } from "./grid";
import { legendOf } from "./legend";
import { scaleOf } from "./scale";
import { Table } from "./table";

type Tell = (message: FromPage) => void;

/** A card that stays where it is while what it shows changes. */
export class CardView {
  readonly element = withRole(make("section", "card"), "region");
  private readonly heading = make("h2");
  private readonly tools = make("div", "tools");
  private readonly type = make("select");
  private readonly mask = make("select");
  private readonly table = toggle("Table", "Show a list in place of the picture");
  private readonly hex = toggle("Hex", "Show the bits in hexadecimal");
  private readonly difference = toggle("Difference", "Show the difference to the stop before");
  private readonly compare = toggle("Expected…", "Compare with what a file expects");
  private readonly problem = withRole(make("p", "problem"), "status");
  private readonly picture = make("div", "picture");
  private readonly legend = make("div");
  private readonly detail: Detail;
  private readonly grid = new Grid((index, isPinned) => this.select(index, isPinned));
  private readonly comparison = new ComparisonView(
    (index, isPinned) => this.select(index, isPinned),
    (index) => this.goTo(index),
  );
  private readonly list = new Table((index, isPinned) => this.select(index, isPinned));
  private readonly id: number;
  private vector: Vector | undefined;
  private elements: readonly Element[] = [];
  private selected: number | undefined;

  constructor(
    pin: Pin,
    private readonly tell: Tell,
  ) {
    this.id = pin.id;
    this.detail = new Detail(
      (expression) => tell({ kind: "who", id: this.id, expression }),
      (command) => tell({ kind: "console", command }),
    );
    this.element.append(this.head(), this.problem, this.picture);
    const pictures = make("div", "pictures");
    pictures.append(this.grid.element, this.list.element, this.comparison.element);
    this.picture.append(pictures, this.legend, this.detail.element);
    this.picture.addEventListener("pointerleave", () => this.point(this.selected));
  }

  /** Show what there is; nothing more can be asked of a machine that is gone. */
  show({ pin, vector, problem }: Card, stop: number, canAsk: boolean): void {
    this.detail.at(stop, canAsk);
    this.type.disabled = this.mask.disabled = !canAsk;
    this.element.setAttribute("aria-label", pin.name);
    this.heading.replaceChildren(make("code", "", pin.name), ...about(pin, vector));
    this.problem.textContent = problem ?? "";
    this.problem.hidden = !problem;
    this.picture.hidden = this.tools.hidden = !vector;
    this.table.setAttribute("aria-pressed", String(!!pin.isTable));
    this.difference.setAttribute("aria-pressed", String(!!pin.isDifference));
    this.hex.setAttribute("aria-pressed", String(!!pin.isHex));
    this.compare.setAttribute("aria-pressed", String(!!pin.expected));
    this.compare.disabled = !canAsk;
    this.grid.element.hidden = !!pin.isTable;
    this.list.element.hidden = !pin.isTable;
    this.vector = vector;
    if (vector) {
      this.draw(pin, vector);
    }
  }

  /** What the adapter says of who wrote an element. */
  showAuthor(expression: string, text: string, command: string | undefined): void {
    this.detail.showAuthor(expression, text, command);
  }

  /** Go to the next element that differs from what is expected; false if none does. */
  nextDifference(direction: 1 | -1): boolean {
    if (this.comparison.hasDifferences) {
      this.comparison.step(direction, this.selected);
    }
    return this.comparison.hasDifferences;
  }

  private goTo(index: number): void {
    (this.grid.element.hidden ? this.list : this.grid).focus(index);
  }

  private draw(pin: Pin, vector: Vector): void {
    this.elements = elementsOf(vector);
    const shown = shownOf(pin, vector, this.elements);
    options(this.type, vector.types, vector.type);
    options(this.mask, ["", ...vector.masks], pin.mask ?? "", "no mask");
    this.mask.hidden = !vector.masks.length;
    if (pin.isTable) {
      this.list.show(vector, this.elements);
    } else {
      this.grid.element.setAttribute("aria-label", `Elements of ${pin.name}`);
      this.grid.show(this.elements, shown);
    }
    this.comparison.show(vector, this.elements);
    this.legend.replaceChildren(legendOf(vector, shown));
    this.point(this.selected);
  }

  private select(index: number, isPinned: boolean): void {
    if (isPinned) {
      this.selected = index;
      this.grid.mark(index);
      this.list.mark(index);
      this.comparison.mark(index);
    }
    this.point(index);
  }

  private point(index: number | undefined): void {
    this.detail.show(this.vector, index === undefined ? undefined : this.elements[index]);
  }

  private head(): HTMLElement {
    const copy = button("Copy", "Copy as a numpy array");
    const compare = this.compare;
    const remove = button("✕", "Take this vector away");
    named(remove.title, remove);
    compare.addEventListener("click", () => this.tell({ kind: "compare", id: this.id }));
    copy.addEventListener("click", () => this.tell({ kind: "copy", id: this.id }));
    remove.addEventListener("click", () => this.tell({ kind: "remove", id: this.id }));
    this.type.addEventListener("change", () => this.change({ type: this.type.value }));
    this.mask.addEventListener("change", () => this.change({ mask: this.mask.value || undefined }));
    this.table.addEventListener("click", () => this.change({ isTable: !isOn(this.table) }));
    this.difference.addEventListener("click", () =>
      this.change({ isDifference: !isOn(this.difference) }),
    );
    this.hex.addEventListener("click", () => this.change({ isHex: !isOn(this.hex) }));
    withRole(this.tools, "group", { label: "How to show it" });
    this.tools.append(named("Type of the elements", this.type), named("Mask over them", this.mask));
    this.tools.append(this.difference, this.hex, this.table, compare, copy);
    const head = make("header");
    head.append(this.heading, this.tools, remove);
    return head;
  }

  private change(to: Partial<Pin>): void {
    this.tell({ kind: "change", id: this.id, to });
  }
}

/** The numbers of a card and their colours: those of floats tell exponents apart. */
function shownOf(pin: Pin, { type }: Vector, elements: readonly Element[]): Shown {
  const isDifference = !!pin.isDifference;
  const values = elements.map(({ value, difference }) => (isDifference ? difference : value));
  const scale = scaleOf(values, type.startsWith("f"));
  return { values, scale, isDifference, isHex: !!pin.isHex && !isDifference };
}

/** What stands after the name: where it is now, and what its author calls it. */
function about(pin: Pin, vector: Vector | undefined): HTMLElement[] {
  if (!vector) {
    return [];
  }
  const path = vector.path === pin.name ? "" : vector.path;
  const words = [path, vector.note].filter(Boolean).join(", ");
  return words ? [make("span", "about", words)] : [];
}

function options(list: HTMLSelectElement, values: readonly string[], now: string, none = ""): void {
  const shown = values.includes(now) ? values : [now, ...values];
  if (shown.join() !== Array.from(list.options, ({ value }) => value).join()) {
    list.replaceChildren(...shown.map((value) => new Option(value || none, value)));
  }
  list.value = now;
}

function named(title: string, control: HTMLElement): HTMLElement {
  control.title = title;
  control.setAttribute("aria-label", title);
  return control;
}

function button(text: string, title: string): HTMLButtonElement {
  const made = make("button", "", text);
  made.type = "button";
  made.title = title;
  return made;
}

function toggle(text: string, title: string): HTMLButtonElement {
  const made = button(text, title);
  made.setAttribute("aria-pressed", "false");
  return made;
}

function isOn(control: HTMLElement): boolean {
  return control.getAttribute("aria-pressed") === "true";
}

/** Tells about the element that the pointer or the keyboard is at. */
class Detail {
  readonly element = make("div", "detail");
  private readonly words = withRole(make("span", "words"), "status");
  private readonly ask = make("button", "", "Who wrote this?");
  private readonly answer = withRole(make("p", "answer"), "status");
  private readonly go = make("button", "", "Go there");
  private shown: string | undefined;
  private command: string | undefined;
  private stop = -1;

  constructor(who: (expression: string) => void, run: (command: string) => void) {
    this.ask.type = this.go.type = "button";
    this.ask.addEventListener("click", () => this.shown && who(this.shown));
    this.go.addEventListener("click", () => this.command && run(this.command));
    this.go.title = "Take the machine to the moment before";
    this.element.append(this.words, this.ask, this.answer, this.go);
    this.show(undefined, undefined);
    this.at(0, false);
  }

  show(vector: Vector | undefined, element: Element | undefined): void {
    this.words.textContent = vector && element ? elementSentence(vector, element) : "";
    this.ask.hidden = !element;
    this.shown = element?.expression;
  }

  showAuthor(expression: string, text: string, command: string | undefined): void {
    this.answer.textContent = text.replaceAll("`", "").replace(/; goto \d+ goes .*$/, "");
    this.answer.title = expression;
    this.command = command;
    this.answer.hidden = false;
    this.go.hidden = !command;
  }

  /** At another stop, the answer of the last one is out of date. */
  at(stop: number, canAsk: boolean): void {
    this.ask.disabled = this.go.disabled = !canAsk;
    if (stop !== this.stop) {
      this.stop = stop;
      this.answer.hidden = this.go.hidden = true;
    }
  }
}

function elementSentence(vector: Vector, element: Element): string {
  const { expression, text, hex, before, index, isMasked } = element;
  const parts = [`${expression} = ${text} (${hex})`];
  if (before !== undefined) {
    parts.push(`was ${before}, ${differenceText(element)}`);
  }
  if (element.expected !== undefined) {
    parts.push(`expected ${element.expected}`);
  }
  parts.push(addressOf(vector, index));
  return parts.join(" · ") + (isMasked ? " · masked" : "");
}

/** Beside the picture, a second one of the differences. */
class ComparisonView {
  readonly element = withRole(make("div", "comparison"), "group", { label: "What was expected" });
  private readonly words = withRole(make("span", "words"), "status");
  private readonly next = make("button", "", "Next difference (m)");
  private readonly grid: Grid;
  private differing: readonly number[] = [];
  /** Where the last step led, for the button, which does not know what is chosen. */
  private last: number | undefined;

  constructor(
    select: (index: number, isPinned: boolean) => void,
    private readonly goTo: (index: number) => void,
  ) {
    this.grid = new Grid(select);
    this.next.type = "button";
    this.next.title = "Go to the next element that differs; m does so too, Shift+m goes back";
    this.next.addEventListener("click", () => this.step(1, undefined));
    const line = make("div", "comparison-line");
    line.append(this.words, this.next);
    this.element.append(line, this.grid.element);
  }

  show(vector: Vector, elements: readonly Element[]): void {
    const { expected, expectedProblem } = vector;
    this.element.hidden = !expected && !expectedProblem;
    this.differing = expected?.differing ?? [];
    this.next.hidden = !this.differing.length;
    this.grid.element.hidden = !this.differing.length;
    this.element.classList.toggle("line", !this.differing.length);
    this.words.classList.toggle("problem", !!expectedProblem);
    this.words.textContent = expected
      ? differenceSentence(expected.name, this.differing.length, elements.length)
      : (expectedProblem?.replaceAll("`", "") ?? "");
    if (expected && this.differing.length) {
      const differences = differencesOf(vector, elements);
      const values = differences.map(({ difference }) => difference);
      const scale = scaleOf(values, vector.type.startsWith("f"));
      this.grid.element.setAttribute("aria-label", "Difference to what is expected");
      this.grid.show(differences, { values, scale, isDifference: true, isHex: false });
    }
  }

  mark(index: number | undefined): void {
    this.grid.mark(index);
  }

  get hasDifferences(): boolean {
    return !this.element.hidden && this.differing.length > 0;
  }

  /** Go to the next element that differs, after the chosen one; after the last, to the first. */
  step(direction: 1 | -1, chosen: number | undefined): void {
    const from = chosen ?? this.last ?? -1;
    const inOrder = direction > 0 ? this.differing : [...this.differing].reverse();
    const after = inOrder.find((index) => (direction > 0 ? index > from : index < from));
    const target = after ?? inOrder[0];
    if (target !== undefined) {
      this.last = target;
      this.goTo(target);
    }
  }
}

function differenceSentence(name: string, differing: number, elements: number): string {
  const file = name.split(/[\\/]/).pop();
  return differing
    ? `${differing} of ${elements} differ from ${file}; below, value minus expected`
    : `all ${elements} as in ${file}`;
}
