/** The vectors that the user has pinned, remembered in the workspace. */

import type * as vscode from "vscode";
import type { Pin } from "./messages";

const KEY = "ipu.vectors";
const FIRST: readonly Pin[] = [
  { id: 1, name: "r0" },
  { id: 2, name: "r_acc" },
  { id: 3, name: "x0" },
  { id: 4, name: "dm0" },
];

/** Whether a pin is one of the first, which are those of several machines. */
export function isFirst({ id, name }: Pin): boolean {
  return FIRST.some((pin) => pin.id === id && pin.name === name);
}

/** Pins in their order. Whoever changes them draws them anew. */
export class Pins {
  constructor(private readonly memento: vscode.Memento) {}

  get all(): readonly Pin[] {
    return this.memento.get<readonly Pin[]>(KEY, FIRST);
  }

  find(id: number): Pin | undefined {
    return this.all.find((pin) => pin.id === id);
  }

  /** Pin one more after the others; one that is pinned already stays where it is. */
  async add(name: string, type?: string): Promise<void> {
    if (!this.all.some((pin) => pin.name === name && pin.type === type)) {
      const id = 1 + Math.max(0, ...this.all.map((pin) => pin.id));
      await this.memento.update(KEY, [...this.all, { id, name, type }]);
    }
  }

  async remove(id: number): Promise<void> {
    await this.memento.update(
      KEY,
      this.all.filter((pin) => pin.id !== id),
    );
  }

  async change(id: number, to: Partial<Pin>): Promise<void> {
    await this.memento.update(
      KEY,
      this.all.map((pin) => (pin.id === id ? { ...pin, ...to, id } : pin)),
    );
  }
}
