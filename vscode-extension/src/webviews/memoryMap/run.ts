/** The memory of a debugged run: each used region with cells, warmer the more they are accessed. */

import type { FromPage, RunAccess, RunMemory, RunRegion, Use } from "../../memoryMap/messages";
import type { Phase } from "../../vectors/messages";
import { counted, element, withRole } from "../slotGrid/html";
import { CellGrid } from "./cellGrid";
import { addressText, bytesText } from "./words";

type Tell = (message: FromPage) => void;

const MOST_ELEMENTS = 512;
const DUE: Readonly<Record<number, string>> = { 1: "read", 2: "written", 3: "read and written" };
const PHASES: Readonly<Record<Phase, string>> = {
  none: "",
  standing: "",
  running: "the machine is running; this is the last stop",
  ended: "the session has ended; this is its last stop",
};

/** A section that keeps the chosen cell while the machine moves. */
export class RunView {
  readonly element = element("section", "run");
  private chosen: { readonly start: number; readonly cell: number } | undefined;
  private hasFocus = false;

  constructor(private readonly tell: Tell) {
    this.element.hidden = true;
  }

  show(phase: Phase, run: RunMemory | undefined): void {
    this.element.hidden = !run;
    if (!run) {
      return;
    }
    this.hasFocus = this.element.contains(document.activeElement);
    this.element.classList.toggle("past", phase !== "standing");
    const most = Math.max(1, ...run.regions.flatMap(({ cells }) => cells.flatMap(hottest)));
    const regions = run.regions.map((region) => this.region(run, region, most));
    const none = element("p", "faint", "The run uses no memory that is known.");
    this.element.replaceChildren(
      heading(run, phase),
      ...(regions.length ? regions : [none]),
      this.last("Last read", run.lastRead, phase),
      this.last("Last write", run.lastWrite, phase),
      legend(run, most),
    );
    this.hasFocus = false;
  }

  private region(run: RunMemory, region: RunRegion, most: number): HTMLElement {
    const made = withRole(element("div", "run-region"), "group", { label: region.name });
    const about = element("div", "about");
    const name = element("strong", "", region.name);
    name.title = region.about;
    const range = `${addressText(region.start)}..${addressText(region.end - 1)}`;
    const facts = [...new Set([...region.bases, ...region.data])].filter(
      (fact) => region.name !== `at ${fact}`,
    );
    about.append(
      name,
      element("code", "", range),
      element("span", "", bytesText(region.end - region.start)),
      element("span", "faint", facts.join(", ")),
    );
    const tools = element("span", "tools", blocksText(region.reads, region.writes));
    tools.title = "Blocks of 128 bytes, counted each time that they are accessed";
    tools.append(
      button("Pin", "Pin these elements in the vectors view", () =>
        this.pin(run, region.start, region.end - region.start),
      ),
      button("Bytes", "Show the bytes from here on", () =>
        this.tell({ kind: "bytes", address: region.start, size: region.end - region.start }),
      ),
    );
    about.append(tools);
    const detail = withRole(element("div", "cell-detail"), "status");
    const grid = new CellGrid(run, region, most, {
      choose: (cell) => {
        this.chosen = { start: region.start, cell };
        this.element.querySelectorAll(".cell-detail").forEach((each) => each.replaceChildren());
        detail.replaceChildren(...this.detail(run, region, cell));
      },
      open: (cell) => this.pin(run, ...bytesOf(region, cell)),
    });
    made.append(about, grid.element, detail);
    if (this.chosen?.start === region.start && this.chosen.cell < region.cells.length) {
      grid.choose(this.chosen.cell, this.hasFocus);
      detail.replaceChildren(...this.detail(run, region, this.chosen.cell));
    }
    return made;
  }

  private detail(run: RunMemory, region: RunRegion, number: number): HTMLElement[] {
    const [start, size] = bytesOf(region, number);
    return [
      element("span", "", cellText(region, number)),
      button("Pin", "Pin this part in the vectors view", () => this.pin(run, start, size)),
      button("Bytes", "Show the bytes from here on", () =>
        this.tell({ kind: "bytes", address: start, size }),
      ),
    ];
  }

  private pin(run: RunMemory, start: number, size: number): void {
    const count = Math.max(1, Math.min(MOST_ELEMENTS, Math.floor(size / run.elementSize)));
    const expression = `${run.memory}[0x${start.toString(16)} .. +${count}]`;
    this.tell({ kind: "pin", expression });
  }

  private last(title: string, access: RunAccess | null, phase: Phase): HTMLElement {
    const made = element("div", "last");
    const words = access?.text.replaceAll("`", "").replace(/^last \w+: /, "") ?? "none so far";
    made.append(element("strong", "", title), element("span", "", words));
    if (access) {
      const go = button("Go there", "Take the machine to the moment before", () =>
        this.tell({ kind: "goto", cycle: access.cycle }),
      );
      go.disabled = phase !== "standing";
      made.append(go);
    }
    return made;
  }
}

/** All that is said of a cell, also for those who do not see the picture. */
export function cellText(region: RunRegion, number: number): string {
  const [start, size] = bytesOf(region, number);
  const [reads, writes, planned] = region.cells[number] ?? [0, 0, 0];
  const isDue = planned && !reads && !writes;
  const due = isDue ? `, still to be ${DUE[planned] ?? "used"}` : "";
  const end = addressText(start + size - 1);
  return `${addressText(start)}..${end}: ${accessesText(reads, writes)}${due}`;
}

/** How a cell is, or will be, used. */
export function useOf(reads: number, writes: number): Use | undefined {
  return reads && writes ? "both" : reads ? "read" : writes ? "written" : undefined;
}

function bytesOf(region: RunRegion, number: number): [start: number, size: number] {
  const start = Math.max(region.start, region.cellStart + number * region.cellSize);
  const end = Math.min(region.end, region.cellStart + (number + 1) * region.cellSize);
  return [start, end - start];
}

function hottest([reads, writes]: readonly number[]): number {
  return Math.max(reads ?? 0, writes ?? 0);
}

/** A store of 512 bytes is one write, but it counts in each of its four blocks. */
function blocksText(reads: number, writes: number): string {
  return `${counted(reads, "block")} read, ${writes.toLocaleString("en")} written`;
}

function accessesText(reads: number, writes: number): string {
  return `${counted(reads, "read")}, ${counted(writes, "write")}`;
}

function heading(run: RunMemory, phase: Phase): HTMLElement {
  const made = element("h2", "", run.memory);
  const since = run.since ? `, counted from cycle ${run.since.toLocaleString("en")} on` : "";
  const words = [`at cycle ${run.cycle.toLocaleString("en")}${since}`, PHASES[phase]];
  made.append(element("span", "faint", words.filter(Boolean).join("; ")));
  return made;
}

function legend(run: RunMemory, most: number): HTMLElement {
  const made = element("div", "run-legend faint");
  const samples = [
    ["read", "read"],
    ["written", "written"],
    ["both", `both; deepest for ${most.toLocaleString("en")} in a cell`],
    ...(run.isPlanned ? [["read due", "still to be used"]] : []),
    ["last-read", "last read"],
    ["last-write", "last write"],
  ] as const;
  for (const [kind, words] of samples) {
    const sample = element("span", "run-sample");
    sample.append(element("span", `cell ${kind}`), words ?? "");
    made.append(sample);
  }
  made.setAttribute("aria-hidden", "true");
  return made;
}

function button(text: string, title: string, press: () => void): HTMLButtonElement {
  const made = element("button", "small", text);
  made.type = "button";
  made.title = title;
  made.addEventListener("click", press);
  return made;
}
