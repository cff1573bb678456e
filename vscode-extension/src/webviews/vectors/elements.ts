/** The elements of a vector, each with all that is said of it. */

import type { Exact, Vector } from "../../vectors/messages";
import { spelt } from "./shortened";

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
  /** What a file says that it should be, where it is something else. */
  readonly expected?: string;
}

export function elementsOf(vector: Vector): Element[] {
  const changes = new Map(vector.changed.map((index, place) => [index, place]));
  const masked = new Set(vector.masked);
  const wrong = new Set(vector.expected?.differing);
  return vector.elements.map((exact, index): Element => {
    const place = changes.get(index);
    const value = numberOf(exact);
    const old = place === undefined ? value : numberOf(vector.previous[place]);
    return {
      index,
      value,
      text: spelt(vector.texts[index] ?? ""),
      hex: vector.hex[index] ?? "",
      expression: vector.expressions[index] ?? "",
      before: place === undefined ? undefined : spelt(vector.previousTexts[place] ?? ""),
      difference: place === undefined ? 0 : value - old,
      isMasked: masked.has(index),
      expected: wrong.has(index) ? spelt(vector.expected?.texts[index] ?? "") : undefined,
    };
  });
}

/** The same elements with their difference to what is expected in place of that to the past. */
export function differencesOf(vector: Vector, elements: readonly Element[]): Element[] {
  return elements.map((element): Element => {
    const { index, expected, value } = element;
    const wanted = numberOf(vector.expected?.elements[index]);
    const difference = expected === undefined ? 0 : value - wanted;
    return { ...element, before: expected, difference };
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
  if (element.before !== undefined && element.before !== element.expected) {
    parts.push(`was ${element.before}`);
  }
  if (element.expected !== undefined) {
    parts.push(`expected ${element.expected}`);
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
