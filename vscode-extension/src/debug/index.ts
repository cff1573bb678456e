/** The debugger: how it is started, what is debugged, and which words of a program have a value. */

import * as vscode from "vscode";
import { nameOf, subjectOnDisk } from "../commands/subject";
import { type CommandLine, messageOf, type Part, type Parts } from "../parts";
import { DEBUG_TYPE, EXECUTABLE, launch } from "./configurations";
import { expressionProvider } from "./expressions";
import { FaultActions } from "./faultActions";
import { showRegistersAtFirstStop } from "./firstStop";
import { keepConsoleFocused } from "./consoleStops";
import { ConfigurationResolver } from "./resolver";
import { markStoppedBundle } from "./stoppedBundle";

export const registerDebug: Part = (parts) => [
  new FaultActions(parts),
  showRegistersAtFirstStop(parts.context.workspaceState),
  markStoppedBundle(),
  keepConsoleFocused(),
  vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory(parts)),
  vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, new ConfigurationResolver(parts)),
  vscode.debug.registerDebugConfigurationProvider(
    DEBUG_TYPE,
    dynamicConfigurations,
    vscode.DebugConfigurationProviderTriggerKind.Dynamic,
  ),
  vscode.languages.registerEvaluatableExpressionProvider([...EXECUTABLE], expressionProvider(parts)),
  vscode.commands.registerCommand("ipu.debugKernel", debugKernel),
  vscode.commands.registerCommand("ipu.switchDebuggedSource", switchSource),
  vscode.commands.registerCommand("ipu.goToTrip", goToTrip),
];

/** An `ipu-dap` for each debug session; it talks over standard input and output. */
class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  constructor(private readonly parts: Parts) {}

  async createDebugAdapterDescriptor(
    session: vscode.DebugSession,
  ): Promise<vscode.DebugAdapterDescriptor> {
    const line = await this.parts.toolchain.commandLine("dap", session.workspaceFolder?.uri);
    const words = [line.command, ...line.args].join(" ");
    this.parts.log.info(`debug adapter: ${words} (${line.origin})`);
    return new vscode.DebugAdapterExecutable(line.command, [...line.args], {
      env: environment(line),
    });
  }
}

function environment({ env }: CommandLine): Record<string, string> | undefined {
  const set = Object.entries(env ?? {}).filter(([, value]) => value !== undefined);
  return env && (Object.fromEntries(set) as Record<string, string>);
}

/** Debug the file that a menu was opened on, else the one in the editor. */
async function debugKernel(argument: unknown): Promise<boolean> {
  const document = await subjectOnDisk(argument);
  if (!document) {
    return false;
  }
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  const program = document.isUntitled ? document.uri.toString() : document.uri.fsPath;
  const configuration = launch(nameOf(document.uri), program, { lastInputs: true });
  return vscode.debug.startDebugging(folder, configuration);
}

const ACTIVE_FILE = "${file}";

export const dynamicConfigurations: vscode.DebugConfigurationProvider = {
  provideDebugConfigurations: () => [
    launch("Run this kernel", ACTIVE_FILE),
    launch("Run this kernel, stop on entry", ACTIVE_FILE, { stopOnEntry: true }),
  ],
};

const METHOD = "ipu/showSource";
/** The editor goes to a frame that it asks for anew only when told to. */
const TO_TOP_FRAME = "workbench.action.debug.callStackTop";

/** Switch the source that the call stack refers to. The adapter's refusal is a sentence. */
async function switchSource(): Promise<void> {
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

/** Ask for a trip, unless it is given, and go there. What the adapter refuses is asked again. */
async function goToTrip(given?: unknown): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== DEBUG_TYPE) {
    return;
  }
  let trip = typeof given === "string" ? given : await asked(await loops(session));
  while (trip) {
    try {
      await session.customRequest("evaluate", { expression: `trip ${trip}`, context: "repl" });
      return;
    } catch (error) {
      const message = messageOf(error).replaceAll("`", "");
      trip = await asked(message, trip);
    }
  }
}

function asked(prompt: string, value = "+1"): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: "Go to trip of the loop",
    prompt,
    value,
    placeHolder: "42, +10, -1, or 3 outer for the loop at that label",
  });
}

/** What the call stack says of the loops around the next bundle. */
async function loops(session: vscode.DebugSession): Promise<string> {
  const { stackFrames } = await session.customRequest("stackTrace", { threadId: 1 });
  const names: readonly string[] = stackFrames.map(({ name }: { name: string }) => name);
  const trips = names.filter((name) => / trip [\d,]+ of /.test(name));
  return trips.length
    ? `Now in ${trips.join("; ")}. A number, +10, -1, or a number and a label.`
    : "The trips of this loop are not known, or the machine is in none.";
}
