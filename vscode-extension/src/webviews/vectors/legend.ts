/** Below a picture: what its colours mean, and how many elements are out of the ordinary. */

import type { Vector } from "../../vectors/messages";
import { counted, element as make, withRole } from "../slotGrid/html";
import type { Shown } from "./grid";
import { paint, type Scale } from "./scale";
import { spelt } from "./shortened";

const SAMPLES = 9;
const BINS = 24;

/** The legend of a vector, or of its difference to the stop before. */
export function legendOf(vector: Vector, { values, scale, isDifference }: Shown): HTMLElement {
  const legend = make("div", "legend");
  const [least, most] = isDifference
    ? [shortened(scale.least), shortened(scale.most)]
    : [vector.minimum, vector.maximum].map((text) => text && spelt(text));
  legend.append(
    make("span", "extent", `${isDifference ? "difference " : ""}min ${least ?? "–"}`),
    ramp(scale),
    make("span", "extent", `max ${most ?? "–"}`),
    histogram(values, scale),
    make("span", "count", `sum ${shortened(sumOf(values)) ?? "–"}`),
    ...counts(vector).map((text) => make("span", "count", text)),
  );
  return legend;
}

function ramp(scale: Scale): HTMLElement {
  const bar = make("span", "ramp");
  bar.setAttribute("aria-hidden", "true");
  const isKnown = Number.isFinite(scale.least);
  const samples = isKnown ? (scale.least === scale.most ? 1 : SAMPLES) : 0;
  for (let number = 0; number < samples; number++) {
    const share = samples > 1 ? number / (samples - 1) : 0;
    const sample = make("span", "sample");
    paint(sample, scale.shade(scale.least + share * (scale.most - scale.least)));
    bar.append(sample);
  }
  return bar;
}

/** How many numbers are in each part of their range. */
function histogram(values: readonly number[], { least, most }: Scale): HTMLElement {
  const strip = make("span", "histogram");
  if (!(most > least)) {
    return strip;
  }
  const width = (most - least) / BINS;
  const bins = Array.from({ length: BINS }, () => 0);
  for (const value of values.filter(Number.isFinite)) {
    const place = Math.min(BINS - 1, Math.floor((value - least) / width));
    bins[place] = (bins[place] ?? 0) + 1;
  }
  const highest = Math.max(...bins);
  strip.append(
    ...bins.map((count, place) => {
      const bar = make("span", "bar");
      const ends = [least + place * width, least + (place + 1) * width].map(shortened);
      bar.title = `${counted(count, "element")} from ${ends.join(" to ")}`;
      bar.style.setProperty("--height", `${count ? Math.max(8, (100 * count) / highest) : 0}%`);
      return bar;
    }),
  );
  withRole(strip, "img", { label: `Histogram in ${BINS} parts, at most ${highest} elements` });
  return strip;
}

function sumOf(values: readonly number[]): number {
  return values.filter(Number.isFinite).reduce((a, b) => a + b, 0);
}

function counts({ nans, infinities, changed, masked, type }: Vector): string[] {
  const isFloat = type.startsWith("f");
  return [
    ...(isFloat ? [`${nans || "no"} NaN`] : []),
    ...(infinities ? [`${infinities} infinite`] : []),
    `${changed.length || "none"} changed`,
    ...(masked.length ? [`${counted(masked.length, "element")} masked`] : []),
  ];
}

function shortened(value: number): string | undefined {
  return Number.isFinite(value) ? String(Number(value.toPrecision(7))) : undefined;
}
