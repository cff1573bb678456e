/** Runs a program with `ipu-run` in a terminal, where its output stays. */

import { dirname, sep } from "node:path";
import * as vscode from "vscode";
import type { Parts, Server } from "../parts";
import { type Arguments, changesOf, NONE, optionsOf, type RunArguments } from "./runArguments";
import { type Answered, askArguments } from "./runForm";
import { nameOf, subjectOnDisk } from "./subject";

/** A program on the disk, and what it is to be run with. */
export interface Request {
  readonly program: vscode.Uri;
  readonly given: Arguments;
}

/** Ask for arguments, and run; the exit status of `ipu-run`. */
export async function runKernel(
  parts: Parts,
  remembered: RunArguments,
  file: unknown,
  given: unknown,
): Promise<number | undefined> {
  const request = await requestOf(parts.server, remembered, file, given, "Run");
  return request && runTask(parts, request, [], "run");
}

/** The program that is meant and its arguments, asked for unless they are given. */
export async function requestOf(
  server: Server,
  remembered: RunArguments,
  file: unknown,
  given: unknown,
  verb: string,
): Promise<Request | undefined> {
  const document = await subjectOnDisk(file);
  const program = document && (await savedUri(document));
  if (!program) {
    return undefined;
  }
  if (isArguments(given)) {
    const chosen = { ...remembered.of(program), ...given };
    await remembered.remember(program, chosen);
    return { program, given: chosen };
  }
  const changes = remembered.changes(program);
  const answered = await askArguments(server, { program, verb, changes });
  if (!answered) {
    return undefined;
  }
  await remembered.rememberChanges(program, answered.given, answered.known);
  return { program, given: passed(answered) };
}

/** What has to be passed: nothing where all of it is in the configuration, which is read anyway. */
function passed({ given, known, origin }: Answered): Arguments {
  const isUnchanged = Object.keys(changesOf(given, known)).length === 0;
  return origin && isUnchanged ? NONE : given;
}

/** Run `ipu-run` in a terminal until it ends; its exit status. */
export async function runTask(
  { toolchain }: Parts,
  { program, given }: Request,
  more: readonly string[],
  verb: string,
): Promise<number | undefined> {
  const line = await toolchain.commandLine("run", program);
  const folder = dirname(program.fsPath);
  // The report and the messages show the name as it is given; `-` would be an option.
  const name = nameOf(program).replace(/^-/, `.${sep}-`);
  const options = [...line.args, ...optionsOf(given), ...more, name];
  const task = new vscode.Task(
    { type: "ipu", file: program.fsPath, verb },
    vscode.workspace.getWorkspaceFolder(program) ?? vscode.TaskScope.Workspace,
    `${verb} ${nameOf(program)}`,
    "ipu",
    new vscode.ProcessExecution(line.command, options, {
      cwd: folder,
      env: variablesOf(line.env),
    }),
    [],
  );
  const { Shared } = vscode.TaskPanelKind;
  task.presentationOptions = { panel: Shared, clear: true, focus: false, showReuseMessage: false };
  return runToEnd(task);
}

/** The address of the file that holds what is in the editor. */
async function savedUri(document: vscode.TextDocument): Promise<vscode.Uri | undefined> {
  if (!document.isUntitled && !document.isDirty) {
    return document.uri;
  }
  const saved = await vscode.workspace.save(document.uri);
  if (!saved) {
    void vscode.window.showWarningMessage("A kernel has to be saved before it can be run.");
  }
  return saved;
}

/** Menus give lists of files where we take arguments. */
function isArguments(given: unknown): given is Partial<Arguments> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

function variablesOf(env: NodeJS.ProcessEnv = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

const LONGEST_START_MS = 30_000;
const NOT_STARTED = "The task has not started: its terminal, or a question of the editor, says why.";

/** What is told of a task; events of a task that is started can come before its execution is known. */
interface Happening {
  readonly execution: vscode.TaskExecution;
  readonly isEnd: boolean;
  readonly exitCode?: number;
}

/**
 * The exit status of its process; undefined if there was none, as where it was not found.
 *
 * The editor tells nothing of a task that it does not start after all.
 */
export async function runToEnd(task: vscode.Task): Promise<number | undefined> {
  const early: Happening[] = [];
  let hear = (happening: Happening): void => void early.push(happening);
  const listeners = [
    vscode.tasks.onDidStartTask(({ execution }) => hear({ execution, isEnd: false })),
    vscode.tasks.onDidEndTaskProcess((ended) => hear({ ...ended, isEnd: true })),
    vscode.tasks.onDidEndTask(({ execution }) => hear({ execution, isEnd: true })),
  ];
  let timer: NodeJS.Timeout | undefined;
  try {
    const ours = await vscode.tasks.executeTask(task);
    return await new Promise((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(NOT_STARTED)), LONGEST_START_MS);
      hear = ({ execution, isEnd, exitCode }) => {
        if (execution === ours) {
          clearTimeout(timer);
          if (isEnd) {
            resolve(exitCode);
          }
        }
      };
      early.forEach(hear);
    });
  } finally {
    clearTimeout(timer);
    listeners.forEach((listener) => void listener.dispose());
  }
}
