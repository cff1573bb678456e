/** The command that shows the expansion of a template while it is debugged, or the template again. */

import * as vscode from "vscode";
import { messageOf } from "../parts";
import { DEBUG_TYPE } from "./configurations";

const METHOD = "ipu/showSource";
/** The editor goes to a frame that it asks for anew only when told to. */
const TO_TOP_FRAME = "workbench.action.debug.callStackTop";

/** Switch the source that the call stack refers to. The adapter's refusal is a sentence. */
export async function switchSource(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== DEBUG_TYPE) {
    return;
  }
  try {
    await session.customRequest(METHOD);
  } catch (error) {
    void vscode.window.showErrorMessage(messageOf(error));
    return;
  }
  await vscode.commands.executeCommand(TO_TOP_FRAME);
}
