// A run of a program on a core of the emulator: forwards, and backwards by running again.

const OUTCOMES = ["limit", "halted", "stopped", "handed back"];
const MARK_STOP = 1;
const MARK_BREAK = 2;
const MARK_HAND_BACK = 4;
const PLACES = [
  "control", "marks", "counts", "tail", "program", "registers", "memory", "dirtyPages",
  "checkWords", "checksAt", "registersBefore", "accesses",
];
/** Bundles between two states that are kept: running again takes a tenth of a second at most. */
const KEYFRAME = 1 << 20;
const MAX_KEYFRAMES = 16;
const MAX_SLICE = 1 << 18;

export function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = parseInt(hex.substr(2 * at, 2), 16);
  }
  return bytes;
}

export class Run {
  /** `settings` has a `mode`, `registers` by name, and `pieces` of memory. */
  constructor({ instance, facts }, program, settings) {
    this.facts = facts;
    this.program = program;
    this.exports = instance.exports;
    this.bytes = new Uint8Array(this.exports.memory.buffer);
    this.words = new DataView(this.exports.memory.buffer);
    const list = this.exports.addresses();
    this.place = Object.fromEntries(
      PLACES.map((name, number) => [name, this.words.getUint32(list + 4 * number, true)]),
    );
    this.mode = facts.modes[settings.mode];
    this.cycle = 0;
    this.pc = 0;
    this.reason = "at the first bundle";
    this.load(settings);
    this.keyframes = [this.saved()];
    this.before = this.registers();
  }

  load({ registers, pieces }) {
    const { place, facts, program } = this;
    this.bytes.fill(0, place.memory, place.memory + facts.memorySize);
    this.bytes.fill(0, place.program, place.program + facts.programLimit * facts.bundleSize);
    this.bytes.set(bytesOf(program.content), place.program);
    this.bytes.set(bytesOf(facts.block), place.registers);
    const scalars = [...this.mode.scalars];
    for (const [name, value] of Object.entries(registers)) {
      scalars[facts.scalars.indexOf(name)] = Number(value) >>> 0;
    }
    scalars.forEach((value, index) => {
      this.words.setUint32(place.registers + facts.blockSize + 4 * index, value, true);
    });
    for (const { address, content } of pieces) {
      const room = facts.memorySize - address;
      this.bytes.set(content.subarray(0, room), place.memory + address);
    }
  }

  /** Executes so many bundles, unless the program ends; breakpoints do not stop it. */
  advance(cycles) {
    this.before = this.registers();
    this.execute(this.cycle + cycles, [], false);
    return this.view();
  }

  /** Runs up to a number of bundles, to a breakpoint or a break. */
  continue(limit, breakpoints) {
    this.before = this.registers();
    this.execute(this.cycle + limit, breakpoints, true);
    return this.view();
  }

  back() {
    return this.goTo(Math.max(0, this.cycle - 1));
  }

  /** Goes to a cycle, in the past or the future. */
  goTo(cycle) {
    const before = this.registers();
    if (cycle < this.cycle) {
      const near = this.keyframes.filter((each) => each.cycle <= cycle).pop();
      this.restore(near);
    }
    this.execute(cycle, [], false);
    this.before = before;
    return this.view();
  }

  execute(until, breakpoints, heedsBreaks) {
    this.mark(breakpoints, heedsBreaks);
    this.reason = "";
    while (!this.reason && this.cycle < until) {
      const next = this.keyframes[this.keyframes.length - 1].cycle + KEYFRAME;
      const most = Math.min(until - this.cycle, MAX_SLICE, Math.max(1, next - this.cycle));
      this.reason = this.call(most);
      if (this.cycle >= next && this.keyframes.length < MAX_KEYFRAMES) {
        this.keyframes.push(this.saved());
      }
    }
    this.reason ||= `at cycle ${this.cycle}`;
  }

  /** One call of the core; returns why the run ends, empty if it goes on. */
  call(limit) {
    const at = this.place.control;
    [this.pc, 0, limit, 0, 0, this.mode.option, 0, 0, 0, this.cycle, 0, 0].forEach((word, index) =>
      this.words.setUint32(at + 4 * index, word, true),
    );
    this.exports.run();
    const executed = this.words.getUint32(at + 12, true);
    const outcome = OUTCOMES[this.words.getUint32(at + 16, true)];
    this.pc = this.words.getUint32(at, true);
    this.cycle += executed;
    if (outcome === "halted") {
      return "the program has ended";
    }
    if (outcome === "stopped") {
      return "at a breakpoint";
    }
    return outcome === "handed back" ? this.fault() : "";
  }

  /** Why the bundle at the program counter cannot be executed. */
  fault() {
    const known = this.program.left[this.pc];
    const registers = this.registers().scalars;
    const texts = this.program.texts[this.pc] ?? [];
    const named = this.facts.scalars
      .map((name, index) => [name, registers[index]])
      .filter(([name]) => texts.some((text) => text.split(/[^\w.]+/).includes(name)))
      .map(([name, value]) => `${name} = 0x${value.toString(16)}`);
    const cause =
      known ??
      "it is refused: an access ends outside of memory, or a register has no value that it takes";
    return `fault in bundle ${this.pc}, \`${texts.join("; ")}\`: ${cause} (${named.join(", ")})`;
  }

  mark(breakpoints, heedsBreaks) {
    const { marks } = this.place;
    this.bytes.fill(0, marks, marks + this.facts.programLimit);
    for (const address of Object.keys(this.program.left)) {
      this.bytes[marks + Number(address)] = MARK_HAND_BACK;
    }
    for (const address of breakpoints) {
      this.bytes[marks + address] |= MARK_STOP;
    }
    if (heedsBreaks) {
      this.program.texts.forEach((texts, address) => {
        if (texts.some((text) => text.startsWith("break"))) {
          this.bytes[marks + address] |= MARK_BREAK;
        }
      });
    }
  }

  registers() {
    const { place, facts } = this;
    const start = place.registers + facts.blockSize;
    return {
      block: this.bytes.slice(place.registers, start),
      scalars: facts.scalars.map((_, index) => this.words.getUint32(start + 4 * index, true)),
    };
  }

  saved() {
    const { memory } = this.place;
    return {
      cycle: this.cycle,
      pc: this.pc,
      registers: this.registers(),
      memory: this.bytes.slice(memory, memory + this.facts.memorySize),
    };
  }

  restore({ cycle, pc, registers, memory }) {
    this.cycle = cycle;
    this.pc = pc;
    this.bytes.set(registers.block, this.place.registers);
    registers.scalars.forEach((value, index) => {
      const at = this.place.registers + this.facts.blockSize + 4 * index;
      this.words.setUint32(at, value, true);
    });
    this.bytes.set(memory, this.place.memory);
  }

  memory(address, size) {
    const start = this.place.memory + address;
    return this.bytes.slice(start, Math.min(start + size, this.place.memory + this.facts.memorySize));
  }

  /** The state for the page, with the registers that the last move has changed. */
  view() {
    const now = this.registers();
    const { facts, before } = this;
    const scalars = Object.fromEntries(facts.scalars.map((name, n) => [name, now.scalars[n]]));
    const vectors = Object.entries(facts.vectors);
    const changed = facts.scalars.filter((_, n) => now.scalars[n] !== before.scalars[n]);
    for (const [name, [start, end]] of vectors) {
      if (now.block.subarray(start, end).some((byte, n) => byte !== before.block[start + n])) {
        changed.push(name);
      }
    }
    return {
      pc: this.pc,
      cycle: this.cycle,
      reason: this.reason,
      isOver: this.pc >= facts.programLimit,
      isFault: this.reason.startsWith("fault"),
      scalars,
      vectors: Object.fromEntries(vectors.map(([name, [a, b]]) => [name, now.block.slice(a, b)])),
      changed,
      texts: this.program.texts[this.pc] ?? [],
    };
  }
}
