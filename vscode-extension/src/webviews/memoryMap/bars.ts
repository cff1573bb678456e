/** The two bars of a strip: the whole memory to scale, and its used parts, all of them visible. */

import type { Region, Strip } from "../../memoryMap/messages";
import { element } from "../slotGrid/html";
import { addressText, bytesText, useText } from "./words";

const GAP_WEIGHT = 1.5;

/** The whole memory, in which small regions are no more than a line. */
export function drawScale(strip: Strip): HTMLElement {
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
export function drawUsed(strip: Strip, select: (number: number) => void): HTMLElement {
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
  made.append(element("span", "", strip.base || region.through.join(", ")));
  made.style.flexGrow = String(Math.log2(region.end - region.start + 1));
  const size = bytesText(region.end - region.start);
  made.title = `${addressText(region.start)}: ${size}, ${useText(region.kind)}`;
  made.addEventListener("click", select);
  return made;
}
