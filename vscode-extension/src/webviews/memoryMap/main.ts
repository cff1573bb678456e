/** The page of the memory map: it draws what it is told, and tells what was clicked. */

import "./memoryMap.css";
import type { FromPage, MemoryMap, Region, Strip, ToPage } from "../../memoryMap/messages";
import { counted, element, withRole } from "../slotGrid/html";
import { RunView } from "./run";
import { addressText, bytesText, useText } from "./words";

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  setState(state: { readonly uri: string }): void;
};

const editor = acquireVsCodeApi();
const root = document.getElementById("root") as HTMLElement;
const program = element("div");
const run = new RunView((message) => editor.postMessage(message));
root.append(run.element, program);
showNotice("Waiting for the language server…");
window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === "notice") {
    showNotice(data.text);
  } else if (data.kind === "run") {
    run.show(data.phase, data.run);
  } else {
    editor.setState({ uri: data.uri });
    program.replaceChildren(head(data.file, data.map.note), ...strips(data.map));
  }
});
editor.postMessage({ kind: "ready" });

function showNotice(text: string): void {
  program.replaceChildren(withRole(element("p", "notice", text), "status"));
}

function head(file: string, note: string): HTMLElement {
  const made = element("header", "head");
  const legend = element("span", "legend");
  for (const kind of ["read", "written", "both"] as const) {
    legend.append(element("span", `sample ${kind}`), element("span", "faint", useText(kind)));
  }
  legend.setAttribute("aria-hidden", "true");
  made.append(element("strong", "", file), element("span", "faint", note), legend);
  return made;
}

function strips(map: MemoryMap): HTMLElement[] {
  if (!map.strips.length && map.accesses.length === 0) {
    return [element("p", "notice", "No load or store is known.")];
  }
  return map.strips.map((strip) => drawStrip(map, strip));
}

function drawStrip(map: MemoryMap, strip: Strip): HTMLElement {
  const made = element("section", "strip");
  const title = element("h2", "", strip.memory);
  const origin = strip.base
    ? `addresses from ${strip.base}, whose value is not known`
    : `${bytesText(strip.size)}, addresses from 0`;
  title.append(element("span", "faint", origin));
  const rows = strip.regions.map((region) => drawRegion(map, strip, region));
  const select = (number: number) => {
    rows.forEach((row, place) => row.classList.toggle("selected", place === number));
    rows[number]?.scrollIntoView({ block: "nearest" });
  };
  made.append(title);
  if (!strip.base) {
    made.append(drawScale(strip));
  }
  made.append(drawUsed(strip, select), ...rows);
  if (strip.unknown.length) {
    const rest = element("div", "region");
    rest.append(element("div", "faint", "Bytes that depend on registers without a known value:"));
    rest.append(...strip.unknown.map((number) => drawAccess(map, number)));
    made.append(rest);
  }
  return made;
}

function drawRegion(map: MemoryMap, strip: Strip, region: Region): HTMLElement {
  const made = element("div", "region");
  const about = element("div", "about");
  const range = `${addressText(region.start)}..${addressText(region.end - 1)}`;
  about.append(
    element("span", `sample ${region.kind}`),
    ...(region.name ? [element("strong", "", region.name)] : []),
    element("code", "", range),
    element("span", "", bytesText(region.end - region.start)),
    element("span", "faint", useText(region.kind)),
  );
  if (region.through.length && !strip.base) {
    about.append(element("span", "faint", `through ${region.through.join(", ")}`));
  }
  made.append(about, ...region.accesses.map((number) => drawAccess(map, number)));
  return made;
}

function drawAccess(map: MemoryMap, number: number): HTMLElement {
  const made = element("button", "access");
  const access = map.accesses[number];
  if (access) {
    const times = access.executions === null ? "" : `, ${counted(access.executions, "time")}`;
    made.append(
      element("span", "line", `line ${access.range.start.line + 1}`),
      element("code", "", access.text),
      element("span", "faint", `${access.addresses}${times}`),
    );
    made.title = `Go to line ${access.range.start.line + 1}`;
    made.addEventListener("click", () => editor.postMessage({ kind: "go", access: number }));
  }
  return made;
}

const GAP_WEIGHT = 1.5;

/** The whole memory, in which small regions are no more than a line. */
function drawScale(strip: Strip): HTMLElement {
  const made = element("div", "scale");
  for (const region of strip.regions) {
    const part = element("span", `part ${region.kind}`);
    part.style.left = `${(100 * region.start) / strip.size}%`;
    part.style.width = `${(100 * (region.end - region.start)) / strip.size}%`;
    made.append(part);
  }
  made.title = `All ${bytesText(strip.size)} to scale`;
  made.setAttribute("aria-hidden", "true");
  return made;
}

/** The used parts side by side, wider the larger they are, with marks for what lies between. */
function drawUsed(strip: Strip, select: (number: number) => void): HTMLElement {
  const made = element("div", "used-parts");
  made.hidden = !strip.regions.length;
  let end = strip.base ? (strip.regions[0]?.start ?? 0) : 0;
  strip.regions.forEach((region, number) => {
    if (region.start > end) {
      const gap = element("span", "gap", "⋯");
      gap.style.flexGrow = String(GAP_WEIGHT);
      gap.title = `${bytesText(region.start - end)} that nothing touches`;
      made.append(gap);
    }
    made.append(drawPart(strip, region, () => select(number)));
    end = region.end;
  });
  return made;
}

function drawPart(strip: Strip, region: Region, select: () => void): HTMLElement {
  const made = element("button", `part ${region.kind}`);
  made.append(element("code", "", addressText(region.start)));
  made.append(element("span", "", region.name || strip.base || region.through.join(", ")));
  made.style.flexGrow = String(Math.log2(region.end - region.start + 1));
  const size = bytesText(region.end - region.start);
  made.title = `${addressText(region.start)}: ${size}, ${useText(region.kind)}`;
  made.addEventListener("click", select);
  return made;
}
