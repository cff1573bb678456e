/** The commands that run a program. */

import type { Part } from "../parts";
import { ProfileReports } from "./profile";
import { command } from "./register";
import { runKernel } from "./run";
import { RunArguments } from "./runArguments";

export const registerRuns: Part = (parts) => {
  const remembered = new RunArguments(parts.context.workspaceState);
  const reports = new ProfileReports(parts, remembered);
  return [
    reports,
    command("ipu.runKernel", (file, given) => runKernel(parts, remembered, file, given)),
    command("ipu.profileKernel", (file, given) => reports.profile(file, given)),
    command("ipu.toggleProfile", () => reports.toggleMarks()),
  ];
};
