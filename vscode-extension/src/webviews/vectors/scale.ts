/** From numbers to shades: zero has none, the greatest distance from zero the deepest. */

/** A number's shade: its sign tells which of the two colours, its size how much of it. */
export interface Scale {
  readonly least: number;
  readonly most: number;
  /** From -1 to 1; NaN for what is no number. */
  shade(value: number): number;
}

/** The scale for some numbers. Infinite ones get the deepest shade and do not stretch it. */
export function scaleOf(values: readonly number[]): Scale {
  const finite = values.filter(Number.isFinite);
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const reach = finite.length ? Math.max(Math.abs(least), Math.abs(most)) : 0;
  const shade = (value: number) =>
    Number.isNaN(value) ? NaN : Math.max(-1, Math.min(1, value / (reach || 1)));
  return { least, most, shade };
}

/** Puts a shade on an element of the page. */
export function paint(target: HTMLElement, shade: number): void {
  target.classList.toggle("nan", Number.isNaN(shade));
  target.classList.toggle("negative", shade < 0);
  const share = Number.isNaN(shade) ? 0 : Math.abs(shade);
  // A small number is to be told from none.
  target.style.setProperty("--shade", `${share ? Math.round(6 + 54 * share) : 0}%`);
}
