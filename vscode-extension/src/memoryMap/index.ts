/** The memory map: what a program reads and writes, and in a debugged run how often, beside it. */

import { panelPart } from "../panels/programPanel";
import type { Part } from "../parts";
import { Stops } from "../vectors/stops";
import { MEMORY_MAP, MemoryMapPanel } from "./panel";

export const registerMemoryMap: Part = (parts) => {
  const stops = new Stops();
  const register = panelPart(
    MEMORY_MAP,
    (given, panel) => new MemoryMapPanel(given, panel, MEMORY_MAP, stops),
  );
  return [stops, ...(register(parts) ?? [])];
};
