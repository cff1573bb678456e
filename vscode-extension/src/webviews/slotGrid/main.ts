/** The page of the slot grid: it draws what it is told, and tells what was clicked. */

import "./slotGrid.css";
import type { FromPage, Grid, ToPage } from "../../slotGrid/messages";
import { counted, element, percent, withRole } from "./html";
import { innermost, nameOfLoop, nested, type NestedLoop, sentenceOf } from "./loops";
import { GridTable } from "./table";

const LEGEND = [
  ["used", "does something"],
  ["idle", "written, does nothing"],
  ["free", "free"],
  ["free open", "could be filled"],
] as const;
/** So many loops can be chosen from the list; of more the line of the cursor tells. */
const MOST_CHIPS = 100;

/** The head of the page; `select` is called with the first row of a loop that was chosen. */
class GridHead {
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
  show(file: string, grid: Grid, unused: readonly string[]): void {
    this.grid = grid;
    this.loops = nested(grid.loops);
    const about = `${counted(grid.rows.length, grid.unit)}, ${counted(grid.loops.length, "loop")}`;
    this.summary.replaceChildren(
      element("strong", "", file),
      element("span", "faint", about),
      element("span", "faint", unused.length ? `nothing in ${unused.join(", ")}` : ""),
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
    const entry = element("span", "entry");
    entry.append(element("span", `sample ${kind}`), element("span", "faint", text));
    made.append(entry);
  }
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** What outlives the page while it is hidden. */
interface State {
  readonly uri?: string;
  readonly top?: number;
  readonly active?: { readonly row: number; readonly column: number };
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): State | undefined;
  setState(state: State): void;
};

const editor = acquireVsCodeApi();
const root = document.getElementById("root") as HTMLElement;
const notice = element("p", "notice");
notice.setAttribute("role", "status");
const table = new GridTable((go) => editor.postMessage({ kind: "go", ...go }), remember);
const head = new GridHead((row) => table.select(row));
let uri: string | undefined;
root.append(notice, head.element, table.element);
showNotice("Waiting for the language server…");

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === "notice") {
    showNotice(data.text);
  } else if (data.kind === "current") {
    table.setCurrent(data.row);
    head.setCurrent(data.row);
  } else {
    show(data);
  }
});
editor.postMessage({ kind: "ready" });

function show(message: Extract<ToPage, { kind: "grid" }>): void {
  const before = editor.getState();
  const isNew = uri !== message.uri;
  uri = message.uri;
  root.classList.add("has-grid");
  table.show(message.file, message.grid);
  head.show(message.file, message.grid, table.unused);
  root.classList.toggle("wide", table.isWide);
  if (isNew) {
    const isSame = before?.uri === uri;
    table.place(isSame ? (before?.top ?? 0) : 0, isSame ? before?.active : undefined);
  }
  table.setCurrent(message.current);
  head.setCurrent(message.current);
  remember();
}

function showNotice(text: string): void {
  root.classList.remove("has-grid");
  notice.textContent = text;
}

function remember(): void {
  editor.setState({ uri, top: table.element.scrollTop, active: table.active });
}
