/** The elements of a vector, each with all that is said of it. */

import type { Exact, Vector } from "../../vectors/messages";

/** One element as the grid and the table show it. */
export interface Element {
  readonly index: number;
  readonly value: number;
  readonly text: string;
  readonly hex: string;
  readonly expression: string;
  /** What it was at the stop before, where that differs. */
  readonly before?: string;
  /** How much more it is than it was. */
  readonly difference: number;
  readonly isMasked: boolean;
}

export function elementsOf(vector: Vector): Element[] {
  const changes = new Map(vector.changed.map((index, place) => [index, place]));
  const masked = new Set(vector.masked);
  return vector.elements.map((exact, index): Element => {
    const place = changes.get(index);
    const value = numberOf(exact);
    const old = place === undefined ? value : numberOf(vector.previous[place]);
    return {
      index,
      value,
      text: vector.texts[index] ?? "",
      hex: vector.hex[index] ?? "",
      expression: vector.expressions[index] ?? "",
      before: place === undefined ? undefined : vector.previousTexts[place],
      difference: place === undefined ? 0 : value - old,
      isMasked: masked.has(index),
    };
  });
}

/** What the difference to the stop before is called. */
export function differenceText({ before, difference, text }: Element): string {
  if (before === undefined) {
    return "0";
  }
  if (Number.isNaN(difference)) {
    return `${before} → ${text}`;
  }
  const short = String(Number(difference.toPrecision(7)));
  return difference > 0 ? `+${short}` : short;
}

/** Everything about an element in one line, also for those who do not see the picture. */
export function sentenceAbout(element: Element): string {
  const parts = [`${element.expression} = ${element.text}`, element.hex];
  if (element.before !== undefined) {
    parts.push(`was ${element.before}`);
  }
  if (element.isMasked) {
    parts.push("masked");
  }
  return parts.join(", ");
}

/** Where an element lies, for people. */
export function addressOf({ location }: Vector, index: number): string {
  if (!location) {
    return `bit ${index}`;
  }
  const byte = `0x${(location.start + index * location.elementSize).toString(16)}`;
  return location.part === "xmem" ? `xmem ${byte}` : `byte ${byte} of ${location.part}`;
}

function numberOf(exact: Exact | undefined): number {
  return Number(exact ?? NaN);
}
