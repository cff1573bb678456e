/** The memory map as the server answers it (docs/protocol.md), and what its page and we say. */

import type { Range } from "../slotGrid/messages";
import type { Phase } from "../vectors/messages";

export type Use = "read" | "written" | "both";

/** Neighbouring bytes that are used alike; `end` is the byte after them. */
export interface Region {
  readonly start: number;
  readonly end: number;
  /** What the program calls them, or empty. */
  readonly name: string;
  readonly kind: Use;
  /** The registers of the addresses. */
  readonly through: readonly string[];
  /** Numbers in the list of accesses. */
  readonly accesses: readonly number[];
}

/** A memory whose addresses count from 0, or from the unknown value of registers. */
export interface Strip {
  readonly memory: string;
  readonly size: number;
  readonly base: string;
  readonly regions: readonly Region[];
  /** Accesses whose bytes depend on unknown values. */
  readonly unknown: readonly number[];
}

/** A load or a store. */
export interface Access {
  readonly range: Range;
  readonly text: string;
  readonly kind: "read" | "write";
  readonly addresses: string;
  readonly executions: number | null;
}

export interface MemoryMap {
  readonly note: string;
  readonly strips: readonly Strip[];
  readonly accesses: readonly Access[];
}

/** Reads and writes of a cell so far; the whole run reads it (1), writes it (2), or both (3). */
export type Cell = readonly [reads: number, writes: number, planned: number];

/** A region of memory in a run, in cells of the same size from `cellStart` on. */
export interface RunRegion {
  readonly name: string;
  readonly about: string;
  readonly start: number;
  readonly end: number;
  readonly data: readonly string[];
  readonly bases: readonly string[];
  readonly reads: number;
  readonly writes: number;
  readonly cellStart: number;
  readonly cellSize: number;
  readonly cells: readonly Cell[];
}

/** An access at a cycle, the one before it. */
export interface RunAccess {
  readonly start: number;
  readonly size: number;
  readonly cycle: number;
  readonly text: string;
}

/** The memory of the machine that is debugged, as the adapter answers it (docs/protocol.md). */
export interface RunMemory {
  readonly memory: string;
  readonly cycle: number;
  readonly since: number;
  readonly elementSize: number;
  readonly isPlanned: boolean;
  readonly regions: readonly RunRegion[];
  readonly lastRead: RunAccess | null;
  readonly lastWrite: RunAccess | null;
}

/** What the extension tells the page. `uri` is what the page remembers over a reload. */
export type ToPage =
  | { readonly kind: "map"; readonly uri: string; readonly file: string; readonly map: MemoryMap }
  | { readonly kind: "run"; readonly phase: Phase; readonly run?: RunMemory }
  | { readonly kind: "notice"; readonly text: string };

/** What the page tells the extension: it is ready, or what was chosen. */
export type FromPage =
  | { readonly kind: "ready" }
  | { readonly kind: "go"; readonly access: number }
  | { readonly kind: "pin"; readonly expression: string }
  | { readonly kind: "bytes"; readonly address: number; readonly size: number }
  | { readonly kind: "goto"; readonly cycle: number };
