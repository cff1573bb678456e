// Generated: python -m ipu_asm.reports.vscode

/** The languages that the server knows. */
export const LANGUAGES: readonly string[] = ["aie-asm", "colossus-asm", "edgenpu-asm", "ipu-asm"];
