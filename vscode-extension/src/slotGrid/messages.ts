/** The slot grid as the server answers it (docs/protocol.md), and what its page and we say. */

export interface Column {
  readonly name: string;
  readonly title: string;
  /** How many instructions of this slot fit into a bundle. */
  readonly capacity: number;
  /** What the text of its instructions is in themes of either kind. */
  readonly colours?: Colours | undefined;
}

export interface Colours {
  readonly light: string;
  readonly dark: string;
}

export interface Loop {
  readonly first: number;
  readonly last: number;
  readonly label: string | null;
  readonly iterationBundles: number;
  readonly utilisation: number;
  /** The same in words, as the lens above the loop says it; empty where there is one slot only. */
  readonly use: string;
}

export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Place;
  readonly end: Place;
}

/** An instruction as the page shows it. */
export interface Cell {
  readonly mnemonic: string;
  readonly text: string;
  readonly idle: boolean;
}

/** Why a slot is empty; of kind `free`, an instruction of a later bundle could stand there. */
export interface Cause {
  readonly kind: "busy" | "waits" | "slot-of-branch" | "ended" | "free";
  readonly text: string;
}

/** The bundle at an address as the page shows it: the instructions of each slot, and the rest. */
export interface Row {
  readonly address: number;
  readonly label: string | null;
  readonly cells: readonly (readonly Cell[])[];
  readonly strays: readonly Cell[];
  /** How often it is executed in the whole run; null or nothing if that is not known. */
  readonly executions?: number | null;
  /** In a loop of one path: why slots are empty, in slot order; null for all others. */
  readonly causes?: readonly (Cause | null)[] | undefined;
}

/** A cell that knows where it stands in the text. */
export interface PlacedCell extends Cell {
  readonly range: Range;
}

export interface PlacedRow extends Row {
  readonly range: Range;
  readonly cells: readonly (readonly PlacedCell[])[];
  readonly strays: readonly PlacedCell[];
}

/** Rows of one sort or the other, with what belongs to the whole program. */
export interface Grid<R extends Row = Row> {
  readonly isa: string;
  readonly unit: string;
  readonly slots: readonly Column[];
  readonly rows: readonly R[];
  readonly loops: readonly Loop[];
}

/** What the extension tells the page. `uri` is what the page remembers over a reload. */
export type ToPage =
  | {
      readonly kind: "grid";
      readonly uri: string;
      readonly file: string;
      readonly grid: Grid;
      readonly current: number | null;
    }
  | { readonly kind: "current"; readonly row: number | null }
  | { readonly kind: "notice"; readonly text: string };

/**
 * What the page tells the extension. Of a bundle, `slot` is the number of a column, that after the
 * last one for instructions without a slot, and null for the bundle itself; `index` counts the
 * instructions of the slot.
 */
export type FromPage =
  | { readonly kind: "ready" }
  | {
      readonly kind: "go";
      readonly row: number;
      readonly slot: number | null;
      readonly index: number;
      readonly focus: boolean;
    };
