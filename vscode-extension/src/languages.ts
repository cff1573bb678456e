// Generated: python -m ipu_asm.reports.vscode

/** The languages that the server knows. */
export const LANGUAGES: readonly string[] = ["aie-asm", "colossus-asm", "edgenpu-asm", "ipu-asm"];

/** A language whose extensions the editor confuses with others, and what only its files have. */
export interface Signature {
  readonly language: string;
  readonly extensions: readonly string[];
  readonly signature: RegExp;
}

export const SIGNATURES: readonly Signature[] = [
  {
    language: "colossus-asm",
    extensions: [".S"],
    signature: /\$(?:m\d|mzero\b|azero\b|mvertex_base\b|mworker_base\b)|\b__IPU(?:_\w+)?__\b/,
  },
];
