/** The memory map: what a program reads and writes, and in a debugged run how often, beside it. */

import * as vscode from "vscode";
import { nameOf } from "../commands/subject";
import { panelPart, type PanelView, ProgramPanel } from "../panels/programPanel";
import type { Part, Parts } from "../parts";
import { inConsole } from "../vectors/questions";
import { Stops } from "../vectors/stops";
import type { FromPage, MemoryMap, RunMemory, ToPage } from "./messages";

const MEMORY_MAP: PanelView = {
  type: "ipu.memoryMap",
  command: "ipu.showMemoryMap",
  page: "memoryMap",
  className: "memory-map",
  title: "Memory map",
  request: "ipu/memoryMap",
  invitation: "Open an assembly program to see which memory it reads and writes.",
};

const HEX_EDITOR = "ms-vscode.hexeditor";
const VIEW_MEMORY = "workbench.debug.viewlet.action.viewMemory";
const MOST_ELEMENTS = 512;

/** Leads from a region to the instructions that touch it; while a run stands, shows that too. */
class MemoryMapPanel extends ProgramPanel<MemoryMap, ToPage> {
  private map: MemoryMap | undefined;
  private run: RunMemory | undefined;
  private round = 0;
  private readonly listener: vscode.Disposable;

  constructor(
    parts: Parts,
    panel: vscode.WebviewPanel,
    view: PanelView,
    private readonly stops: Stops,
  ) {
    super(parts, panel, view);
    this.listener = stops.onDidChange(() => void this.refreshRun());
  }

  override dispose(): void {
    this.listener.dispose();
    super.dispose();
  }

  protected show(document: vscode.TextDocument, map: MemoryMap | undefined): void {
    this.map = map;
    if (map) {
      const file = nameOf(document.uri);
      this.panel.title = `Memory: ${file}`;
      this.post({ kind: "map", uri: document.uri.toString(), file, map });
    }
    void this.refreshRun();
  }

  protected async hear(message: Exclude<FromPage, { kind: "ready" }>): Promise<void> {
    const { session } = this.stops;
    switch (message.kind) {
      case "go": {
        const access = this.map?.accesses[message.access];
        return access && this.reveal(access.range, true);
      }
      case "pin":
        return this.pin(message.expression);
      case "bytes":
        return this.showBytes(message.address, message.size);
      case "goto":
        return void (session && (await inConsole(session, `goto ${message.cycle}`)));
    }
  }

  /** Ask for the memory of the run if it stands; else show that of the last stop. */
  private async refreshRun(): Promise<void> {
    const round = ++this.round;
    const { phase, session } = this.stops;
    if (phase === "standing" && session && this.panel.visible) {
      try {
        const run: RunMemory = await session.customRequest("ipu/memoryMap");
        this.run = round === this.round ? run : this.run;
      } catch {
        // The machine has moved on: the next stop asks again.
        return;
      }
    }
    if (round === this.round) {
      this.post({ kind: "run", phase, run: this.run });
    }
  }

  private async pin(expression: string): Promise<void> {
    await vscode.commands.executeCommand("ipu.pinVector", {
      variable: { evaluateName: expression },
    });
  }

  /** Open bytes in the hex editor; without that, pin them as numbers. */
  private async showBytes(address: number, size: number): Promise<void> {
    const { session } = this.stops;
    const memoryReference = `0x${address.toString(16)}`;
    if (session && vscode.extensions.getExtension(HEX_EDITOR)) {
      const argument = { sessionId: session.id, container: {}, variable: { memoryReference } };
      await vscode.commands.executeCommand(VIEW_MEMORY, argument);
    } else {
      const count = Math.max(1, Math.min(size, MOST_ELEMENTS));
      await this.pin(`xmem[${memoryReference} .. +${count} : u8]`);
    }
  }
}

export const registerMemoryMap: Part = (parts) => {
  const stops = new Stops();
  const register = panelPart(
    MEMORY_MAP,
    (given, panel) => new MemoryMapPanel(given, panel, MEMORY_MAP, stops),
  );
  return [stops, ...(register(parts) ?? [])];
};
