/** What a vector should be, as a file says: how many elements differ, by how much, and which next. */

import type { Vector } from "../../vectors/messages";
import { element as make, withRole } from "../slotGrid/html";
import { differencesOf, type Element } from "./elements";
import { Grid } from "./grid";
import { scaleOf } from "./scale";

/** Beside the picture, a second one of the differences. */
export class ComparisonView {
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
      ? sentence(expected.name, this.differing.length, elements.length)
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

  /** Go to the next element that differs, behind the chosen one; behind the last, to the first. */
  step(direction: 1 | -1, chosen: number | undefined): void {
    const from = chosen ?? this.last ?? -1;
    const inOrder = direction > 0 ? this.differing : [...this.differing].reverse();
    const behind = inOrder.find((index) => (direction > 0 ? index > from : index < from));
    const target = behind ?? inOrder[0];
    if (target !== undefined) {
      this.last = target;
      this.goTo(target);
    }
  }
}

function sentence(name: string, differing: number, elements: number): string {
  const file = name.split(/[\\/]/).pop();
  return differing
    ? `${differing} of ${elements} differ from ${file}; below, value minus expected`
    : `all ${elements} as in ${file}`;
}
