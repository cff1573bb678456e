/** The commands that work on a whole program, and start none. */

import type { Part } from "../parts";
import { assembleFile } from "./assemble";
import { newKernel } from "./newKernel";
import { ReferencePanel } from "./reference";
import { command } from "./register";
import { toggleRemarks } from "./remarks";

export const registerCommands: Part = (parts) => {
  const reference = new ReferencePanel(parts);
  return [
    reference,
    command("ipu.assembleFile", (file, choice) => assembleFile(parts, file, choice)),
    command("ipu.openReference", (file) => reference.open(file)),
    command("ipu.toggleRemarks", toggleRemarks),
    command("ipu.newKernel", (folder, choice) => newKernel(parts.context, folder, choice)),
  ];
};
