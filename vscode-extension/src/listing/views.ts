/** The texts that are shown beside a program: its listing, and its expansion. */

import * as vscode from "vscode";
import { nameOf } from "../commands/subject";

/** A text that the server makes of a program. */
export interface BesideView {
  /** The scheme of docs/protocol.md. */
  readonly scheme: string;
  /** The request that also tells which line shows which. */
  readonly request: string;
  /** Opens it beside the program. */
  readonly command: string;
  /** What gives it its colours; none: the language of the program. */
  readonly language?: string;
  /** What the tab is called. */
  readonly title: (program: string) => string;
}

export const LISTING: BesideView = {
  scheme: "ipu-listing",
  request: "ipu/listing",
  command: "ipu.openListing",
  language: "ipu-listing",
  title: (program) => `${program}.lst`,
};

export const EXPANSION: BesideView = {
  scheme: "ipu-expansion",
  request: "ipu/expansion",
  command: "ipu.showExpansion",
  title: (program) => {
    const dot = program.lastIndexOf(".");
    const end = dot < 0 ? program.length : dot;
    return `${program.slice(0, end)} (expansion)${program.slice(end)}`;
  },
};

/** The address of the view of a program. */
export function viewUri({ scheme, title }: BesideView, program: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({
    scheme,
    path: `/${title(nameOf(program))}`,
    query: program.toString(),
  });
}

/** The program whose view an address means. */
export function programUri(view: vscode.Uri): vscode.Uri {
  return vscode.Uri.parse(view.query, true);
}
