// The panel that runs a program: its inputs, Run, Step, Back, registers and vectors.

import { breakpointLines, showCurrent } from "./editor.js";
import { button, element, hex } from "./elements.js";
import { TYPES, elementsOf } from "./views.js";

const MAX_CYCLES = 10_000_000;
const WORDS = 512;

export class Runner {
  /** `ask` sends a request about the open document; `view` and `uri` return what is open. */
  constructor(panel, { host, ask, view, uri }) {
    Object.assign(this, { panel, host, ask, view, uri });
    this.types = new Map();
    this.opened = new Set();
    this.given = {};
    this.forget();
  }

  /** The program is another one: what ran is over. */
  forget() {
    this.machine = null;
    this.state = null;
    this.message = "";
    this.compared = [];
    showCurrent(this.view(), null);
  }

  /** Shows the inputs of the program, with what the user has given already. */
  async show() {
    const inputs = await this.ask("ipu/runInputs", {});
    this.inputs = inputs;
    this.draw();
  }

  draw() {
    const choices = (this.inputs?.options ?? []).filter((each) => each.kind === "choice");
    this.fields = new Map();
    const registers = (this.inputs?.registers ?? []).map((each) => {
      const value = this.given[each.name] ?? (each.value === null ? "" : hex(each.value));
      const input = element("input", {
        value, size: 10, spellcheck: "false", placeholder: "0", title: each.purpose || each.name,
        onchange: () => {
          this.given[each.name] = input.value;
          this.reset();
        },
      });
      this.fields.set(each.name, input);
      return element("label", { title: each.purpose }, each.name, input);
    });
    this.choices = choices.map((each) => {
      const known = this.given[each.name] ?? this.inputs.settings[each.name] ?? each.choices[0];
      const select = element(
        "select",
        {
          title: each.summary,
          onchange: () => {
            this.given[each.name] = select.value;
            this.reset();
          },
        },
        ...each.choices.map((text) =>
          element("option", { value: text, selected: text === known }, text),
        ),
      );
      return { name: each.name, select };
    });
    const load = (this.inputs?.load ?? []).filter((each) => each.text.startsWith("/"));
    const data = load.map((each) => each.text.replace(/^.*\/(?=[^/]*@)/, "")).join(", ");
    this.panel.replaceChildren(
      this.buttons(),
      element("p", { className: this.state?.isFault ? "reason fault" : "reason", id: "reason" }, this.told()),
      element(
        "details",
        { open: !this.state },
        element("summary", {}, "Inputs"),
        element(
          "div",
          { className: "inputs" },
          ...registers,
          ...this.choices.map(({ name, select }) => element("label", {}, name, select)),
        ),
        element("p", { className: "dim" }, data ? `Data: ${data}` : "Memory is zero at the start."),
      ),
      ...this.compared,
      ...(this.state ? this.registers() : []),
    );
  }

  buttons() {
    const bar = element("div", { className: "bar" });
    const isOver = Boolean(this.state?.isOver || this.state?.isFault);
    const add = (text, title, move, disabled) =>
      bar.append(
        button(text, () => this.move(move), {
          title, disabled, id: `do-${text.toLowerCase()}`, className: text === "Run" ? "main" : "",
        }),
      );
    add("Run", "To the next breakpoint, or to the end (F5)", "run", isOver);
    add("Step", "One bundle (F10)", "step", isOver);
    add("Back", "Undo one bundle (Shift+F10)", "back", !this.state?.cycle);
    add("Restart", "To the first bundle", "restart", !this.state);
    return bar;
  }

  told() {
    if (this.message) {
      return this.message;
    }
    if (!this.state) {
      return "Not started. F9 in the program sets a breakpoint.";
    }
    const { cycle, pc, reason, isOver, texts } = this.state;
    const next = isOver ? "" : `; next is bundle ${pc}: ${texts.join("; ") || "nothing"}`;
    return `Cycle ${cycle.toLocaleString("en")}: ${reason}${next}`;
  }

  async move(what) {
    try {
      if (!this.machine || what === "restart") {
        await this.prepare();
      }
      if (this.machine && what !== "restart") {
        this.state = await this.moved(what);
      }
    } catch (error) {
      this.message = error.message;
    }
    await this.at();
    this.compared = this.state?.isOver ? await this.comparisons() : [];
    const focused = document.activeElement?.id;
    this.draw();
    document.getElementById(focused)?.focus();
  }

  moved(what) {
    if (what === "step") {
      return this.host.call("step", 1);
    }
    return what === "back"
      ? this.host.call("back")
      : this.host.call("continue", MAX_CYCLES, this.stops());
  }

  /** The addresses of the bundles that begin in lines with a breakpoint. */
  stops() {
    const lines = new Set(breakpointLines(this.view()));
    return this.rows.filter((row) => lines.has(row.line)).map((row) => row.address);
  }

  async prepare() {
    this.forget();
    const grid = await this.ask("ipu/slotGrid", {});
    this.rows = grid?.rows ?? [];
    const registers = {};
    for (const [name, input] of this.fields ?? []) {
      registers[name] = numberOf(input.value, name);
    }
    const prepared = await this.host.call("prepare", this.uri(), {
      registers,
      mode: this.choices.map(({ select }) => select.value).join(","),
      load: (this.inputs?.load ?? []).map((each) => each.text).filter((text) => text.startsWith("/")),
    });
    if (prepared.problem) {
      this.message = prepared.problem;
      return;
    }
    this.machine = prepared;
    this.state = prepared.state;
  }

  async reset() {
    this.forget();
    this.draw();
  }

  /** What the run should have left in memory, and whether it has. */
  comparisons() {
    const expected = this.inputs?.expect ?? [];
    return Promise.all(
      expected.map(async ({ text }) => {
        const { problem, size, differs } = await this.host.call("compare", text);
        const isRight = differs === null;
        const found = isRight ? `as expected, ${size} bytes` : `differs at ${hex(differs ?? 0)}`;
        const name = text.replace(/^.*\/(?=[^/]*@)/, "");
        return element(
          "p",
          { className: isRight ? "expected" : "expected reason fault" },
          `${name}: ${problem ?? found}`,
        );
      }),
    );
  }

  /** Shows the bundle to be executed in the program. */
  async at() {
    const row = this.state && !this.state.isOver ? this.rows[this.state.pc] : null;
    showCurrent(this.view(), row ? row.line : null);
  }

  registers() {
    const { state, machine } = this;
    const changed = new Set(state.changed);
    const scopes = Object.entries(machine.scopes).map(([title, names]) =>
      element(
        "details",
        { open: !names.every((name) => !state.scalars[name]) || title === Object.keys(machine.scopes)[0] },
        element("summary", {}, title),
        element(
          "div",
          { className: "registers code" },
          ...names
            .filter((name) => name in state.scalars)
            .map((name) =>
              element(
                "span",
                { className: changed.has(name) ? "changed" : "", "data-register": name },
                `${name} ${state.scalars[name] | 0}`,
              ),
            ),
        ),
      ),
    );
    const vectors = Object.keys(machine.vectors).map((name) => this.vector(name, changed.has(name)));
    return [...scopes, ...vectors];
  }

  vector(name, isChanged) {
    const bytes = this.state.vectors[name];
    const type = this.types.get(name) ?? (bytes.length >= WORDS && !/cyclic/.test(name) ? "int32" : "int8");
    const select = element(
      "select",
      {
        "aria-label": `type of ${name}`,
        onchange: () => {
          this.types.set(name, select.value);
          this.draw();
        },
      },
      ...TYPES.map((each) => element("option", { value: each, selected: each === type }, each)),
    );
    const details = element(
      "details",
      {
        className: "vector",
        open: this.opened.has(name),
        "data-vector": name,
        ontoggle: () => this.opened[details.open ? "add" : "delete"](name),
      },
      element("summary", { className: isChanged ? "changed" : "" }, `${name}, ${bytes.length} bytes`),
      select,
      element("div", { className: "code" }, elementsOf(bytes, type).join(" ")),
    );
    return details;
  }
}

function numberOf(text, name) {
  const value = Number(text.replaceAll("_", "") || 0);
  if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32) {
    throw new RangeError(`${name} takes a whole number of 32 bits, found \`${text}\``);
  }
  return value >>> 0;
}
