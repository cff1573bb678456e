/** Above the grid: the program, the loop under the cursor, and the list of loops. */

import type { Grid } from "../../slotGrid/messages";
import { counted, element, percent, withRole } from "./html";
import { innermost, nameOfLoop, nested, type NestedLoop, sentenceOf } from "./loops";

const LEGEND = [
  ["used", "does something"],
  ["idle", "written, does nothing"],
  ["free", "free"],
] as const;
/** So many loops can be chosen from the list; of more the line of the cursor tells. */
const MOST_CHIPS = 100;

/** The head of the page; `select` is called with the first row of a loop that was chosen. */
export class GridHead {
  readonly element = element("header", "head");
  private readonly summary = element("div", "summary");
  private readonly underCursor = withRole(element("div", "under-cursor"), "status");
  private readonly list = element("div", "loops");
  private grid: Grid | undefined;
  private loops: readonly NestedLoop[] = [];
  private chips: HTMLElement[] = [];

  constructor(private readonly select: (row: number) => void) {
    this.element.append(this.summary, this.underCursor, this.list);
    withRole(this.list, "group", { label: "Loops" });
  }

  /** Draw what is about the whole program. */
  show(file: string, grid: Grid): void {
    this.grid = grid;
    this.loops = nested(grid.loops);
    const about = `${counted(grid.rows.length, grid.unit)}, ${counted(grid.loops.length, "loop")}`;
    this.summary.replaceChildren(
      element("strong", "", file),
      element("span", "faint", about),
      legend(),
    );
    this.chips = this.loops.slice(0, MOST_CHIPS).map((loop) => this.chip(loop, grid));
    const more = this.loops.length - this.chips.length;
    const rest = more > 0 ? [element("span", "faint", `and ${counted(more, "more loop")}`)] : [];
    this.list.replaceChildren(...this.chips, ...rest);
    this.list.hidden = !this.loops.length;
  }

  /** Tell about the loop around the row of the cursor. */
  setCurrent(row: number | null): void {
    const loop = innermost(this.loops, row);
    this.chips.forEach((chip, number) => {
      chip.toggleAttribute("aria-current", this.loops[number] === loop);
    });
    if (loop && this.grid) {
      const name = element("code", "", nameOfLoop(loop));
      const text = element("span", "", sentenceOf(loop, this.grid));
      this.underCursor.replaceChildren("Loop ", name, meter(loop), text);
    } else {
      const text = this.loops.length ? "No loop under the cursor." : "There are no loops.";
      this.underCursor.replaceChildren(element("span", "faint", text));
    }
  }

  private chip(loop: NestedLoop, grid: Grid): HTMLElement {
    const chip = element("button", "chip");
    const size = `${counted(loop.iterationBundles, grid.unit)}, ${percent(loop.utilisation)}`;
    chip.append(element("code", "", nameOfLoop(loop)), element("span", "faint", `  ${size}`));
    chip.title = `${nameOfLoop(loop)}: ${sentenceOf(loop, grid)}`;
    chip.setAttribute("aria-label", `Loop ${chip.title}`);
    chip.addEventListener("click", () => this.select(loop.first));
    return chip;
  }
}

function meter(loop: NestedLoop): HTMLElement {
  const made = element("span", "meter");
  const filled = element("span", "filled");
  filled.style.width = percent(loop.utilisation).replace(" ", "");
  made.append(filled);
  made.setAttribute("aria-hidden", "true");
  return made;
}

function legend(): HTMLElement {
  const made = element("span", "legend");
  for (const [kind, text] of LEGEND) {
    made.append(element("span", `sample ${kind}`), element("span", "faint", text));
  }
  made.setAttribute("aria-hidden", "true");
  return made;
}
