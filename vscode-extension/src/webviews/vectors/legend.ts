/** Below a picture: what its colours mean, and how many elements are out of the ordinary. */

import type { Vector } from "../../vectors/messages";
import { counted, element as make } from "../slotGrid/html";
import type { Element } from "./elements";
import { paint, scaleOf, type Scale } from "./scale";

const SAMPLES = 9;

/** The legend of a vector, or of its difference to the stop before. */
export function legendOf(
  vector: Vector,
  elements: readonly Element[],
  isDifference: boolean,
): HTMLElement {
  const legend = make("div", "legend");
  const values = elements.map(({ value, difference }) => (isDifference ? difference : value));
  const scale = scaleOf(values);
  const [least, most] = isDifference
    ? [shortened(scale.least), shortened(scale.most)]
    : [vector.minimum, vector.maximum];
  legend.append(
    make("span", "extent", `${isDifference ? "difference " : ""}min ${least ?? "–"}`),
    ramp(scale),
    make("span", "extent", `max ${most ?? "–"}`),
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
