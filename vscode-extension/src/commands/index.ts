/** The commands that work on a whole program. */

import type { Part } from "../parts";
import { assembleFile } from "./assemble";
import { newKernel } from "./newKernel";
import { ProfileReports } from "./profile";
import { ReferencePanel } from "./reference";
import { command } from "./register";
import { RunArguments } from "./runArguments";
import { toggleRemarks } from "./remarks";
import { runKernel } from "./run";

export const registerCommands: Part = (parts) => {
  const remembered = new RunArguments(parts.context.workspaceState);
  const reference = new ReferencePanel(parts);
  const reports = new ProfileReports(parts, remembered);
  const commands: Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>> = {
    "ipu.assembleFile": (file, choice) => assembleFile(parts, file, choice),
    "ipu.runKernel": (file, given) => runKernel(parts, remembered, file, given),
    "ipu.profileKernel": (file, given) => reports.profile(file, given),
    "ipu.toggleProfile": () => reports.toggleMarks(),
    "ipu.openReference": (file) => reference.open(file),
    "ipu.toggleRemarks": toggleRemarks,
    "ipu.newKernel": (folder, choice) => newKernel(parts.context, folder, choice),
  };
  const registered = Object.entries(commands).map(([name, work]) => command(name, work));
  return [reference, reports, ...registered];
};
