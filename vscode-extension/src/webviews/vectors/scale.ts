/** From numbers to shades: zero has none, the greatest distance from zero the deepest. */

/** A number's shade: its sign tells which of the two colours, its size how much of it. */
export interface Scale {
  readonly least: number;
  readonly most: number;
  /** From -1 to 1; NaN for what is no number. */
  shade(value: number): number;
}

/** Decades below the greatest number in which a logarithmic scale tells numbers apart. */
const DECADES = 6;

/**
 * The scale for some numbers. Infinite ones get the deepest shade and do not stretch it. On a
 * logarithmic one, numbers of different exponents have different shades.
 */
export function scaleOf(values: readonly number[], isLogarithmic = false): Scale {
  const finite = values.filter(Number.isFinite);
  const least = finite.reduce((a, b) => Math.min(a, b), Infinity);
  const most = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const reach = finite.length ? Math.max(Math.abs(least), Math.abs(most)) : 0;
  const linear = (value: number) => Math.max(-1, Math.min(1, value / (reach || 1)));
  const logarithmic = (value: number) => {
    const decades = Math.log10(Math.abs(value) / (reach || 1));
    return value ? Math.sign(value) * Math.max(0.02, Math.min(1, 1 + decades / DECADES)) : 0;
  };
  const share = isLogarithmic ? logarithmic : linear;
  return { least, most, shade: (value) => (Number.isNaN(value) ? NaN : share(value)) };
}

/** Puts a shade on an element of the page. */
export function paint(target: HTMLElement, shade: number): void {
  target.classList.toggle("nan", Number.isNaN(shade));
  target.classList.toggle("negative", shade < 0);
  const share = Number.isNaN(shade) ? 0 : Math.abs(shade);
  // A small number is to be told from none.
  target.style.setProperty("--shade", `${share ? Math.round(6 + 54 * share) : 0}%`);
}
