/** The page of the slot grid: it draws what it is told, and tells what was clicked. */

import "./slotGrid.css";
import type { FromPage, ToPage } from "../../slotGrid/messages";
import { GridHead } from "./head";
import { element } from "./html";
import { GridTable } from "./table";

/** What outlives the page while it is hidden. */
interface State {
  readonly uri?: string;
  readonly top?: number;
  readonly active?: { readonly row: number; readonly column: number };
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void;
  getState(): State | undefined;
  setState(state: State): void;
};

const editor = acquireVsCodeApi();
const root = document.getElementById("root") as HTMLElement;
const notice = element("p", "notice");
notice.setAttribute("role", "status");
const table = new GridTable((go) => editor.postMessage({ kind: "go", ...go }), remember);
const head = new GridHead((row) => table.select(row));
let uri: string | undefined;
root.append(notice, head.element, table.element);
showNotice("Waiting for the language server…");

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === "notice") {
    showNotice(data.text);
  } else if (data.kind === "current") {
    table.setCurrent(data.row);
    head.setCurrent(data.row);
  } else {
    show(data);
  }
});
editor.postMessage({ kind: "ready" });

function show(message: Extract<ToPage, { kind: "grid" }>): void {
  const before = editor.getState();
  const isNew = uri !== message.uri;
  uri = message.uri;
  root.classList.add("has-grid");
  head.show(message.file, message.grid);
  table.show(message.file, message.grid);
  root.classList.toggle("wide", table.isWide);
  if (isNew) {
    const isSame = before?.uri === uri;
    table.place(isSame ? (before?.top ?? 0) : 0, isSame ? before?.active : undefined);
  }
  table.setCurrent(message.current);
  head.setCurrent(message.current);
  remember();
}

function showNotice(text: string): void {
  root.classList.remove("has-grid");
  notice.textContent = text;
}

function remember(): void {
  editor.setState({ uri, top: table.element.scrollTop, active: table.active });
}
