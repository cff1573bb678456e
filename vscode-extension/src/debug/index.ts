/** The debugger: how it is started, what is debugged, and which words of a program have a value. */

import * as vscode from "vscode";
import type { Part } from "../parts";
import { AdapterFactory } from "./adapter";
import { DEBUG_TYPE, EXECUTABLE } from "./configurations";
import { debugKernel } from "./debugKernel";
import { dynamicConfigurations } from "./dynamic";
import { expressionProvider } from "./expressions";
import { FaultActions } from "./faultActions";
import { showRegistersAtFirstStop } from "./firstStop";
import { goToTrip } from "./goToTrip";
import { ConfigurationResolver } from "./resolver";
import { switchSource } from "./shownSource";

export const registerDebug: Part = (parts) => [
  new FaultActions(parts),
  showRegistersAtFirstStop(parts.context.workspaceState),
  vscode.debug.registerDebugAdapterDescriptorFactory(DEBUG_TYPE, new AdapterFactory(parts)),
  vscode.debug.registerDebugConfigurationProvider(DEBUG_TYPE, new ConfigurationResolver(parts)),
  vscode.debug.registerDebugConfigurationProvider(
    DEBUG_TYPE,
    dynamicConfigurations,
    vscode.DebugConfigurationProviderTriggerKind.Dynamic,
  ),
  vscode.languages.registerEvaluatableExpressionProvider(EXECUTABLE, expressionProvider(parts)),
  vscode.commands.registerCommand("ipu.debugKernel", debugKernel),
  vscode.commands.registerCommand("ipu.switchDebuggedSource", switchSource),
  vscode.commands.registerCommand("ipu.goToTrip", goToTrip),
];
