// Generated: python -m ipu_asm.reports.vscode

/** The languages that the server knows. */
export const LANGUAGES: readonly string[] = ["aie-asm", "colossus-asm", "edgenpu-asm", "ipu-asm"];

/** What the server may read of a folder: sources, headers, objects, settings, and kernel tests. */
export const READ_FILES =
  /^(?:(?:ipu|pyproject)\.toml|launch\.json|test_.*\.py|.*_test\.py|.*\.(?:S|aie|aie2|aie2p|asm|def|edgenpu|elf|h|hh|hpp|inc|ipu|o|s))$/;

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
