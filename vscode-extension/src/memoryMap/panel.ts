/** The panel that shows which memory the program in the editor reads and writes. */

import type * as vscode from "vscode";
import { nameOf } from "../commands/subject";
import { type PanelView, ProgramPanel } from "../panels/programPanel";
import type { FromPage, MemoryMap, ToPage } from "./messages";

export const MEMORY_MAP: PanelView = {
  type: "ipu.memoryMap",
  command: "ipu.showMemoryMap",
  page: "memoryMap",
  className: "memory-map",
  title: "Memory map",
  request: "ipu/memoryMap",
  invitation: "Open an assembly program to see which memory it reads and writes.",
};

/** Leads from a region to the instructions that touch it. */
export class MemoryMapPanel extends ProgramPanel<MemoryMap, ToPage> {
  private map: MemoryMap | undefined;

  protected show(document: vscode.TextDocument, map: MemoryMap | undefined): void {
    this.map = map;
    if (map) {
      const file = nameOf(document.uri);
      this.panel.title = `Memory: ${file}`;
      this.post({ kind: "map", uri: document.uri.toString(), file, map });
    }
  }

  protected hear(message: Extract<FromPage, { kind: "go" }>): void {
    const access = this.map?.accesses[message.access];
    if (access) {
      void this.reveal(access.range, true);
    }
  }
}
