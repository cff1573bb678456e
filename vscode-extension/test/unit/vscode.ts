/** Stands in for the editor's API in Node.js: as much of it as the units under test use. */

const listen = () => ({ dispose: () => undefined });

/** What the editor is said to have: settings, factories of trackers, and commands that were run. */
export const editor = {
  settings: {} as Record<string, unknown>,
  executed: [] as string[],
  inspected: {} as Record<string, unknown>,
  updates: [] as unknown[],
  document: undefined as object | undefined,
  errors: [] as string[],
  trackers: [] as { createDebugAdapterTracker(session: unknown): unknown }[],
  startDebugging: (_: { name: string }): boolean => true,
};
export const ViewColumn = { Beside: -2 };

export const ConfigurationTarget = { WorkspaceFolder: 3 };

export const commands = {
  executeCommand: (name: string) => Promise.resolve(void editor.executed.push(name)),
};

export const debug = {
  startDebugging: (_: unknown, configuration: { name: string }) =>
    Promise.resolve(editor.startDebugging(configuration)),
  registerDebugAdapterTrackerFactory: (_: string, factory: (typeof editor.trackers)[number]) => {
    editor.trackers.push(factory);
    return { dispose: () => editor.trackers.splice(editor.trackers.indexOf(factory), 1) };
  },
};

/** What listens to tasks, by the name of the event, and what starting one does. */
export const taskEvents = {
  listeners: new Map<string, (event: object) => void>(),
  execute: (): Promise<object> => Promise.resolve({}),
};

const listenAs = (name: string) => (listener: (event: object) => void) => {
  taskEvents.listeners.set(name, listener);
  return { dispose: () => taskEvents.listeners.delete(name) };
};

export const tasks = {
  executeTask: () => taskEvents.execute(),
  onDidStartTask: listenAs("start"),
  onDidEndTask: listenAs("end"),
  onDidEndTaskProcess: listenAs("process"),
};

export const window = {
  get activeTextEditor() {
    return editor.document && { document: editor.document };
  },
  visibleTextEditors: [],
  showErrorMessage: (message: string) => Promise.resolve(void editor.errors.push(message)),
  onDidChangeActiveTextEditor: listen,
  onDidChangeTextEditorSelection: listen,
};

export const workspace = {
  onDidChangeTextDocument: listen,
  onDidCloseTextDocument: listen,
  onDidOpenTextDocument: listen,
  getWorkspaceFolder: () => ({ uri: Uri.file("/work") }),
  getConfiguration: () => ({
    get: (key: string) => editor.settings[key] ?? Object.values(editor.inspected).flat(),
    inspect: () => editor.inspected,
    update: (...given: unknown[]) => Promise.resolve(editor.updates.push(given)),
  }),
  openTextDocument: (uri: unknown) => Promise.resolve({ uri, languageId: "ipu-asm" }),
};

export class Uri {
  static readonly joinPath = (_: unknown, ...parts: string[]) => parts.join("/");
  static readonly file = (path: string) => ({ path, fsPath: path });
}

/** How many sources have been made and not disposed. */
export const sources = { open: 0 };

export class CancellationTokenSource {
  readonly token = { isCancellationRequested: false };

  constructor() {
    sources.open++;
  }

  cancel(): void {
    this.token.isCancellationRequested = true;
  }

  dispose(): void {
    sources.open--;
  }
}
