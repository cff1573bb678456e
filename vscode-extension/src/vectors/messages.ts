/** What the adapter answers about vectors (docs/protocol.md), and what the page and we say. */

/** A number of JSON, or the word for one that JSON has not. */
export type Exact = number | "NaN" | "Infinity" | "-Infinity";

/** What a file says that elements should be, and the indices of those that are something else. */
export interface Expected {
  readonly name: string;
  readonly elements: readonly Exact[];
  readonly texts: readonly string[];
  readonly differing: readonly number[];
}

/** The answer to `ipu/vector`. */
export interface Vector {
  readonly name: string;
  readonly path: string;
  readonly note: string;
  readonly type: string;
  readonly types: readonly string[];
  readonly masks: readonly string[];
  readonly elements: readonly Exact[];
  readonly texts: readonly string[];
  readonly hex: readonly string[];
  readonly expressions: readonly string[];
  readonly changed: readonly number[];
  readonly previous: readonly Exact[];
  readonly previousTexts: readonly string[];
  readonly masked: readonly number[];
  readonly minimum?: string;
  readonly maximum?: string;
  readonly nans: number;
  readonly infinities: number;
  readonly numpy: string;
  readonly expected?: Expected;
  /** Why what is expected cannot be said. */
  readonly expectedProblem?: string;
  readonly location?: {
    readonly part: string;
    readonly start: number;
    readonly elementSize: number;
  };
}

/** A register in the answer to `ipu/vectors`. */
export interface Listed {
  readonly name: string;
  readonly note: string;
  readonly type: string;
  readonly types: readonly string[];
  readonly elements: number;
}

/** A vector that the user wants to see, and how. */
export interface Pin {
  readonly id: number;
  readonly name: string;
  /** The type to read the bytes as; the register's own where there is none. */
  readonly type?: string;
  readonly mask?: string;
  readonly isTable?: boolean;
  readonly isDifference?: boolean;
  readonly isHex?: boolean;
  /** The file to compare with. */
  readonly expected?: string;
}

/** A pin with what is there now, or with the sentence why nothing is. */
export interface Card {
  readonly pin: Pin;
  readonly vector?: Vector;
  readonly problem?: string;
}

/** What the machine does: nothing is known of it before the first stop. */
export type Phase = "none" | "standing" | "running" | "ended";

export type ToPage =
  | {
      readonly kind: "show";
      readonly phase: Phase;
      /** Counts the stops: at another one, answers about the past are out of date. */
      readonly stop: number;
      readonly cards: readonly Card[];
    }
  | {
      readonly kind: "author";
      readonly id: number;
      readonly expression: string;
      readonly text: string;
      /** What leads the machine to that moment. */
      readonly command?: string;
    };

export type FromPage =
  | { readonly kind: "ready" }
  | { readonly kind: "add" }
  | { readonly kind: "remove"; readonly id: number }
  | { readonly kind: "change"; readonly id: number; readonly to: Partial<Omit<Pin, "id" | "name">> }
  | { readonly kind: "copy"; readonly id: number }
  | { readonly kind: "compare"; readonly id: number }
  | { readonly kind: "who"; readonly id: number; readonly expression: string }
  | { readonly kind: "console"; readonly command: string };
