/** The line about one element, with the question who wrote it. */

import type { Vector } from "../../vectors/messages";
import { element as make, withRole } from "../slotGrid/html";
import { addressOf, differenceText, type Element } from "./elements";

/** Tells about the element that the pointer or the keyboard is at. */
export class Detail {
  readonly element = make("div", "detail");
  private readonly words = withRole(make("span", "words"), "status");
  private readonly ask = make("button", "", "Who wrote this?");
  private readonly answer = withRole(make("p", "answer"), "status");
  private readonly go = make("button", "", "Go there");
  private shown: string | undefined;
  private command: string | undefined;
  private stop = -1;

  constructor(who: (expression: string) => void, run: (command: string) => void) {
    this.ask.type = this.go.type = "button";
    this.ask.addEventListener("click", () => this.shown && who(this.shown));
    this.go.addEventListener("click", () => this.command && run(this.command));
    this.go.title = "Take the machine to the moment before";
    this.element.append(this.words, this.ask, this.answer, this.go);
    this.show(undefined, undefined);
    this.at(0, false);
  }

  show(vector: Vector | undefined, element: Element | undefined): void {
    this.words.textContent = vector && element ? sentence(vector, element) : "";
    this.ask.hidden = !element;
    this.shown = element?.expression;
  }

  showAuthor(expression: string, text: string, command: string | undefined): void {
    this.answer.textContent = text.replaceAll("`", "").replace(/; goto \d+ goes .*$/, "");
    this.answer.title = expression;
    this.command = command;
    this.answer.hidden = false;
    this.go.hidden = !command;
  }

  /** At another stop, the answer of the last one is out of date. */
  at(stop: number, canAsk: boolean): void {
    this.ask.disabled = this.go.disabled = !canAsk;
    if (stop !== this.stop) {
      this.stop = stop;
      this.answer.hidden = this.go.hidden = true;
    }
  }
}

function sentence(vector: Vector, element: Element): string {
  const { expression, text, hex, before, index, isMasked } = element;
  const parts = [`${expression} = ${text} (${hex})`];
  if (before !== undefined) {
    parts.push(`was ${before}, ${differenceText(element)}`);
  }
  if (element.expected !== undefined) {
    parts.push(`expected ${element.expected}`);
  }
  parts.push(addressOf(vector, index));
  return parts.join(" · ") + (isMasked ? " · masked" : "");
}
