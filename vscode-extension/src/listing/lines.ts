/** Which line of a listing belongs to which line of its program, and the other way round. */

/** What a line of a listing or an expansion shows, as the server answers it. */
export interface ListingLine {
  readonly line: number | null;
}

/** Which lines of a listing show a line of the program: one for each bundle, and its errors. */
export function linesShowing(lines: readonly ListingLine[], line: number): number[] {
  return lines.flatMap((shown, number) => (shown.line === line ? [number] : []));
}

/** The first line of the listing that shows a line of the program, or the nearest one above it. */
export function listingLineOf(lines: readonly ListingLine[], line: number): number {
  const index = lines.findIndex((shown) => shown.line !== null && shown.line >= line);
  return index < 0 ? Math.max(0, lines.length - 1) : index;
}

/** The line of the program that a line of the listing shows; for its head, the first one. */
export function programLineOf(lines: readonly ListingLine[], number: number): number {
  return lines[Math.min(number, lines.length - 1)]?.line ?? 0;
}
