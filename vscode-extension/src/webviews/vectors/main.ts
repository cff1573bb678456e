/** The page of the Vectors view: it draws what it is told, and tells what the user wants. */

import "./vectors.css";
import type { Card, FromPage, Phase, ToPage } from "../../vectors/messages";
import { element as make, withRole } from "../slotGrid/html";
import { CardView } from "./card";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void };

const PHASES: Readonly<Record<Phase, string>> = {
  none: "No kernel is being debugged: press F5 in one, and what is pinned here shows itself.",
  standing: "",
  running: "The machine is running; these are the values of the last stop.",
  ended: "The session has ended; these are the values of the last stop.",
};

const HINT =
  "Point at an element, or walk through them with the arrow keys; m goes to what differs from Expected.";

const editor = acquireVsCodeApi();
const root = document.getElementById("root") as HTMLElement;
const notice = withRole(make("p", "notice"), "status");
const hint = make("p", "hint", HINT);
const list = make("div", "cards");
const add = make("button", "add", "Pin a vector…");
const views = new Map<number, CardView>();
add.type = "button";
add.addEventListener("click", () => editor.postMessage({ kind: "add" }));
root.append(notice, list, hint, add);

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  if (data.kind === "show") {
    show(data);
  } else {
    views.get(data.id)?.showAuthor(data.expression, data.text, data.command);
  }
});
// `m` goes to the next element that differs, of the card with the focus or of the first with one.
window.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLSelectElement;
  if (event.key.toLowerCase() !== "m" || isTyping || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const all = [...views.values()];
  const focused = all.filter(({ element }) => element.contains(document.activeElement));
  [...focused, ...all].some((view) => view.nextDifference(event.shiftKey ? -1 : 1));
});
editor.postMessage({ kind: "ready" });

function show({ phase, stop, cards }: Extract<ToPage, { kind: "show" }>): void {
  root.dataset["phase"] = phase;
  notice.textContent = PHASES[phase];
  notice.hidden = !notice.textContent;
  hint.hidden = !cards.some(({ vector }) => vector);
  add.disabled = phase !== "standing";
  for (const id of [...views.keys()]) {
    if (!cards.some(({ pin }) => pin.id === id)) {
      views.get(id)?.element.remove();
      views.delete(id);
    }
  }
  for (const card of cards) {
    viewOf(card).show(card, stop, phase !== "ended");
  }
}

function viewOf({ pin }: Card): CardView {
  const known = views.get(pin.id);
  if (known) {
    return known;
  }
  const made = new CardView(pin, (message) => editor.postMessage(message));
  views.set(pin.id, made);
  list.append(made.element);
  return made;
}
