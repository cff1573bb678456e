/** Coverage that `ipu-run` and pytest have written for lcov, for the editor. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import * as vscode from "vscode";

/** The coverage of a file, with that of its lines. */
export class KernelCoverage extends vscode.FileCoverage {
  constructor(
    file: string,
    readonly lines: readonly vscode.StatementCoverage[],
  ) {
    const branches = lines.flatMap((line) => line.branches);
    super(
      vscode.Uri.file(file),
      counted(lines),
      branches.length ? counted(branches) : undefined,
    );
  }
}

/** Read a tracefile, whose relative paths begin at `root`; nothing where there is none. */
export async function readLcov(file: string, root: string): Promise<KernelCoverage[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text
    .split("end_of_record\n")
    .map((record) => coverageOf(record.split("\n"), root))
    .filter((each) => each !== undefined);
}

function coverageOf(record: readonly string[], root: string): KernelCoverage | undefined {
  const file = record.find((line) => line.startsWith("SF:"))?.slice("SF:".length);
  if (file === undefined) {
    return undefined;
  }
  const branches = new Map<number, vscode.BranchCoverage[]>();
  for (const [line = 0, , way, count = "-"] of fields(record, "BRDA:")) {
    const label = Number(way) === 0 ? "taken" : "not taken";
    const known = branches.get(Number(line)) ?? [];
    const executed = count === "-" ? 0 : Number(count);
    known.push(new vscode.BranchCoverage(executed, place(Number(line)), label));
    branches.set(Number(line), known);
  }
  const lines = fields(record, "DA:").map(([line, count]) => {
    const found = branches.get(Number(line)) ?? [];
    return new vscode.StatementCoverage(Number(count), place(Number(line)), found);
  });
  return new KernelCoverage(resolve(root, file), lines);
}

function fields(record: readonly string[], kind: string): string[][] {
  const lines = record.filter((line) => line.startsWith(kind));
  return lines.map((line) => line.slice(kind.length).split(","));
}

/** A whole line: instructions share it, and gutter marks are for lines. */
function place(line: number): vscode.Range {
  return new vscode.Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER);
}

function counted(all: readonly { readonly executed: number | boolean }[]): vscode.TestCoverageCount {
  return new vscode.TestCoverageCount(all.filter(({ executed }) => executed).length, all.length);
}
