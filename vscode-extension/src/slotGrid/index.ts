/** The slot grid: bundles by slots, beside the program. */

import { panelPart } from "../panels/programPanel";
import { SLOT_GRID, SlotGridPanel } from "./panel";

export const registerSlotGrid = panelPart(
  SLOT_GRID,
  (parts, panel) => new SlotGridPanel(parts, panel, SLOT_GRID),
);
