/** Which loops a row is in. */

import type { Grid, Loop } from "../../slotGrid/messages";
import { counted } from "./html";

/** A loop with the number of loops around it. */
export interface NestedLoop extends Loop {
  readonly depth: number;
}

/** The loops, by their first rows and the outer ones first, with their depths. */
export function nested(loops: readonly Loop[]): NestedLoop[] {
  const around: Loop[] = [];
  return [...loops].sort(outerFirst).map((loop) => {
    while (around.length && !holds(around[around.length - 1] as Loop, loop)) {
      around.pop();
    }
    return { ...loop, depth: around.push(loop) - 1 };
  });
}

/** The innermost loop around a row. */
export function innermost(
  loops: readonly NestedLoop[],
  row: number | null,
): NestedLoop | undefined {
  const around = loops.filter((loop) => row !== null && loop.first <= row && row <= loop.last);
  return around.reduce<NestedLoop | undefined>(
    (best, loop) => (best && best.iterationBundles <= loop.iterationBundles ? best : loop),
    undefined,
  );
}

/** What people call a loop. */
export function nameOfLoop(loop: Loop): string {
  return loop.label ?? `at ${loop.first}`;
}

/** What a loop costs, as a sentence. */
export function sentenceOf(loop: Loop, grid: Grid): string {
  const size = counted(loop.iterationBundles, grid.unit);
  return loop.use ? `${size} per iteration, ${loop.use}` : `${size} per iteration`;
}

function outerFirst(one: Loop, other: Loop): number {
  return one.first - other.first || other.last - one.last;
}

function holds(outer: Loop, inner: Loop): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}
