/** The memory map as the server answers it (docs/protocol.md), and what its page and we say. */

import type { Range } from "../slotGrid/messages";

export type Use = "read" | "written" | "both";

/** Neighbouring bytes that are used alike; `end` is the byte behind them. */
export interface Region {
  readonly start: number;
  readonly end: number;
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

/** What the extension tells the page. `uri` is what the page remembers over a reload. */
export type ToPage =
  | { readonly kind: "map"; readonly uri: string; readonly file: string; readonly map: MemoryMap }
  | { readonly kind: "notice"; readonly text: string };

/** What the page tells the extension: it is ready, or an access was chosen. */
export type FromPage =
  { readonly kind: "ready" } | { readonly kind: "go"; readonly access: number };
