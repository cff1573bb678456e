/** Panels that are closed while an answer for them is under way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type * as vscode from "vscode";
import type { Parts } from "../../src/parts";
import { ProgramPanel, type PanelView } from "../../src/panels/programPanel";
import type { Pins } from "../../src/vectors/pins";
import { VectorsPanel } from "../../src/vectors";
import type { Stops } from "../../src/vectors/stops";
import { sources } from "./vscode";

const VIEW = { page: "page", title: "A view", className: "" } as PanelView;
const PROGRAM = { path: "/kernel.s" } as vscode.Uri;

class TestPanel extends ProgramPanel<string[], never> {
  readonly shown: unknown[] = [];
  protected show(_: vscode.TextDocument, answer: string[] | undefined): void {
    this.shown.push(answer);
    void this.panel.webview;
  }
  protected hear(): void {}
}

test("a closed program panel shows no answer that comes late, and keeps no token", async () => {
  const { answer, request, tokens } = question<string[]>();
  const before = sources.open;
  const { panel, close } = webviewPanel();
  const view = new TestPanel(partsWith({ request }), panel, VIEW);
  const following = [view.follow(PROGRAM), view.follow(PROGRAM)];
  await asked();
  close();
  view.dispose();
  answer([]);
  await Promise.all(following);
  await view.follow(PROGRAM);
  assert.deepEqual(view.shown, []);
  assert.deepEqual(tokens.map((token) => token.isCancellationRequested), [true, true]);
  assert.equal(sources.open, before);
});

test("a closed vectors panel shows no stop and no author that comes late", async () => {
  const { answer, request: customRequest } = question<object>();
  const { panel, close, hear, posted } = webviewPanel();
  const session = { customRequest };
  const stops = { session, phase: "standing", onDidChange: () => ({ dispose() {} }) };
  const pins = { all: [{ id: 1, name: "r0" }] };
  const view = new VectorsPanel(
    partsWith({}),
    panel,
    stops as unknown as Stops,
    pins as unknown as Pins,
  );
  const waiting = [view.refresh(), hear({ kind: "who", id: 1, expression: "r0[3]" })];
  await asked();
  close();
  view.dispose();
  answer({ result: "cycle 7" });
  await Promise.all(waiting);
  await view.refresh();
  assert.deepEqual(posted, []);
});

/** Until promises that are fulfilled have gone as far as they can. */
function asked(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A request that is answered when the test says so. */
function question<Answer>() {
  let answer: (value: Answer) => void = () => undefined;
  const answered = new Promise<Answer>((resolve) => (answer = resolve));
  const tokens: vscode.CancellationToken[] = [];
  const request = (_: string, __: unknown, token?: vscode.CancellationToken) => {
    tokens.push(...(token ? [token] : []));
    return answered;
  };
  return { answer: (value: Answer) => answer(value), request, tokens };
}

function partsWith(server: object): Parts {
  const stateless = { onDidChangeState: () => ({ dispose() {} }) };
  return { context: { extensionUri: "" }, server: { ...stateless, ...server } } as unknown as Parts;
}

/** A panel whose webview cannot be touched once it is closed, as that of the editor. */
function webviewPanel() {
  let isClosed = false;
  let listener: (message: object) => Promise<void> = () => Promise.resolve();
  const posted: object[] = [];
  const webview = {
    asWebviewUri: String,
    postMessage: (message: object) => posted.push(message),
    onDidReceiveMessage: (listen: typeof listener) => ((listener = listen), { dispose() {} }),
  };
  const alive = <Value>(value: Value) => {
    assert.ok(!isClosed, "Webview is disposed");
    return value;
  };
  const panel = {
    get webview() {
      return alive(webview);
    },
    get visible() {
      return alive(true);
    },
    onDidChangeViewState: () => ({ dispose() {} }),
  };
  return {
    panel: panel as unknown as vscode.WebviewPanel,
    close: () => (isClosed = true),
    hear: (message: object) => listener(message),
    posted,
  };
}
