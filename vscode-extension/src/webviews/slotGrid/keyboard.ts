/** Where keys lead in the grid. */

export interface ActiveCell {
  readonly row: number;
  readonly column: number;
}

/** The cell that a key leads to; undefined for a key that is not about cells. */
export function moved(
  { row, column }: ActiveCell,
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  page: number,
  columns: number,
  rows: number,
): ActiveCell | undefined {
  const isFar = ctrlKey || metaKey;
  const targets: Readonly<Record<string, ActiveCell>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - page, column },
    PageDown: { row: row + page, column },
    Home: { row: isFar ? 0 : row, column: 0 },
    End: { row: isFar ? rows - 1 : row, column: columns - 1 },
  };
  const target = targets[key];
  return (
    target && {
      row: Math.max(0, Math.min(target.row, rows - 1)),
      column: Math.max(0, Math.min(target.column, columns - 1)),
    }
  );
}
