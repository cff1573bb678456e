/** Runs a task, and waits for its end. */

import * as vscode from "vscode";

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
