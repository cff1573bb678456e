/** The columns of the grid: what stands in them, and how wide they are. */

import type { Cell, Colours, Grid, Row } from "../../slotGrid/messages";
import { counted } from "./html";

/** A place for one instruction; `slot` is null for the address and the label. */
export interface Column {
  readonly kind: "address" | "label" | "place" | "stray";
  readonly slot: number | null;
  readonly index: number;
  readonly name: string;
  readonly colours?: Colours | undefined;
  /** At least, and with enough room. */
  readonly least: string;
  readonly width: string;
}

/** A heading over one column or more. */
export interface Heading {
  readonly name: string;
  readonly title: string;
  readonly span: number;
}

export interface Columns {
  readonly columns: readonly Column[];
  readonly headings: readonly Heading[];
  /** The slots without an instruction in the whole program, which get no column. */
  readonly unused: readonly string[];
  /** Whether there is so much room that cells show their whole text. */
  readonly isWide: boolean;
}

const LONGEST_LABEL = 20;
const LONGEST_TEXT = 60;
/** Of a longer mnemonic a narrow panel shows the beginning; the names of slots are never cut. */
const SHORTEST = 7;
/** The padding and the borders in the style sheet, and a pixel that fractions may take. */
const EDGES_PX = 11;

/** The columns for a program, as wide as what stands in them. */
export function columnsOf(grid: Grid): Columns {
  const isWide = grid.slots.length === 1 && grid.slots[0]?.capacity === 1;
  const columns: Column[] = [];
  const headings: Heading[] = [];
  const isUsed = grid.slots.map((_, number) => grid.rows.some((row) => row.cells[number]?.length));
  const folds = isUsed.includes(true);
  const unused = folds ? grid.slots.filter((_, number) => !isUsed[number]) : [];
  const add = (heading: Heading, ...under: Column[]) => {
    headings.push(heading);
    columns.push(...under);
  };
  const digits = Math.max(3, String(grid.rows.length).length);
  const address = `calc(${digits}ch + 14px + var(--depth) * var(--bar))`;
  add({ name: "", title: `Address, in ${grid.unit}s`, span: 1 }, head("address", address));
  const label = longest(grid.rows, (row) => row.label?.length ?? 0);
  if (label) {
    const characters = Math.max(6, Math.min(label, LONGEST_LABEL));
    add({ name: "label", title: "Label", span: 1 }, head("label", `calc(${characters}ch + 8px)`));
  }
  grid.slots.forEach((slot, number) => {
    if (unused.includes(slot)) {
      return;
    }
    const places = Array.from({ length: slot.capacity }, (_, index): Column => {
      const width = longest(grid.rows, (row) => shown(row.cells[number]?.[index], isWide).length);
      const heading = Math.ceil(slot.name.length / slot.capacity);
      const made = place("place", number, index, slot.name, width, heading, isWide);
      return { ...made, colours: slot.colours };
    });
    const many = slot.capacity > 1 ? `, ${counted(slot.capacity, "instruction")} a bundle` : "";
    const title = `${slot.title} (${slot.name}${many})`;
    add({ name: slot.name, title, span: slot.capacity }, ...places);
  });
  const strays = longest(grid.rows, (row) => row.strays.length);
  if (strays) {
    const width = longest(grid.rows, (row) => Math.max(0, ...row.strays.map(mnemonicLength)));
    const under = Array.from({ length: strays }, (_, index) =>
      place("stray", grid.slots.length, index, "no slot", width, 7, false),
    );
    const title = "Instructions that no slot has room for";
    add({ name: "no slot", title, span: strays }, ...under);
  }
  return { columns, headings, unused: unused.map(({ name }) => name), isWide };
}

/** The instruction in a column of a row. */
export function cellAt(row: Row, column: Column): Cell | undefined {
  if (column.slot === null) {
    return undefined;
  }
  return (column.kind === "stray" ? row.strays : row.cells[column.slot])?.[column.index];
}

/** What a cell says of an instruction. */
export function shown(cell: Cell | undefined, isWide: boolean): string {
  return cell ? (isWide ? cell.text.slice(0, LONGEST_TEXT) : cell.mnemonic) : "";
}

function head(kind: "address" | "label", width: string): Column {
  return { kind, slot: null, index: 0, name: kind, least: width, width };
}

/** As wide as the longest instruction or the heading; in a narrow panel, a part of them. */
function place(
  kind: "place" | "stray",
  slot: number,
  index: number,
  name: string,
  longestText: number,
  heading: number,
  isWide: boolean,
): Column {
  const characters = Math.max(longestText, heading, 2);
  const shortest = Math.max(Math.min(longestText, SHORTEST), heading, 2);
  const least = `calc(${shortest}ch + ${EDGES_PX}px)`;
  const width = isWide ? "1fr" : `calc(${characters}ch + ${EDGES_PX}px)`;
  return { kind, slot, index, name, least, width };
}

function mnemonicLength(cell: Cell): number {
  return cell.mnemonic.length;
}

function longest(rows: readonly Row[], measure: (row: Row) => number): number {
  return rows.reduce((most, row) => Math.max(most, measure(row)), 0);
}
