/** The memory map: what a program reads and writes, beside it. */

import { panelPart } from "../panels/programPanel";
import { MEMORY_MAP, MemoryMapPanel } from "./panel";

export const registerMemoryMap = panelPart(
  MEMORY_MAP,
  (parts, panel) => new MemoryMapPanel(parts, panel, MEMORY_MAP),
);
