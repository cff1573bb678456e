"""Random programs with loops of every form that is rewritten, of both sets with a control run.

`python -m tests.testbench.random_loops [COUNT] [FIRST]` pipelines them, half of them as `--rebase`
does, and runs each beside its source; ends with 1 if one ends in another way than its options say.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Final

from ipu_asm.emulator.model import machine_for
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.flow.packing.pack import PackingError
from ipu_asm.flow.packing.pipeline import Options
from ipu_asm.flow.packing.proof import ProofError
from ipu_asm.isa import load_isa
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.testbench import packing
from ipu_asm.testbench.packing import end_of_run, packed, random_state
from ipu_asm.testbench.rewriting import pipelined

PRESETS: Final = {
    "ipu": {"cr0": 0, "cr1": 0x10000, "cr2": 0x20000, "cr5": 1, "cr6": 9, "cr7": 128},
    "ipu2": {"cr2": 0, "cr3": 0x400, "cr4": 0x800, "cr5": 4, "cr6": 9, "cr7": 2},
}
_BODIES: Final = {
    "ipu": (
        "ldr_mult_reg r0 P cr0",
        "ldr_mult_reg r1 P cr0",
        "ldr_cyclic_mult_reg P cr1 lr15",
        "mult.ee r0 lr15 lr15 lr15",
        "mult.ve r1 E lr15 lr15 lr15",
        "acc",
        "acc.first",
        "agg max value cr5 aaq0",
        "acc.add_aaq aaq0",
        "str_acc_reg P cr2",
        "add lr14 P E",
        "add lr13 lr14 P",
        "sub lr12 lr12 cr6",
        "mult.ve r0 lr11 lr15 lr15 lr15",
        "set lr11 3",
    ),
    "ipu2": (
        "LDR_MULT_REG r0 P cr2",
        "LDR_CYCLIC_MULT_REG P cr3 lr15",
        "MULT.RC.VV lr15 r0 0 lr15 cr15",
        "MULT.RC.VE lr15 E 0 lr15 cr15",
        "ACC.ADD",
        "ACC.ADD.FIRST",
        "ACC.MAX",
        "AGG.SUM E cr15",
        "ACTIVATE.QUANTIZE relu cr15",
        "STR_POST_AAQ_REG P cr4",
        "STR_ACC_REG P cr4",
        "ADD lr14 P E",
        "SUB lr13 lr14 P",
        "INCR_MOD_POW2 lr12 cr6 5",
        "SET lr11 cr7",
        "MULT.RC.VE lr15 lr11 0 lr15 cr15",
    ),
}

_STEPS_OF_LR0: Final = (["incr", "lr0"], ["INC", "lr0"], ["ADD", "lr0"])


def random_program(name: str, seed: int) -> Program:
    """Return a program with one to three loops, some of them inside of another one."""
    random = Random(f"{name} {seed}")
    text = _Text(name, random).program()
    program = read_program(load_isa(name), text)
    assert program.findings == [], (program.findings, text)
    modes = (0, 1, 2) if name == "ipu2" else (0,)
    mode = random.choice(modes)
    program.presets = {**PRESETS[name], **({"wide": mode} if mode else {})}
    return program


class _Text:
    def __init__(self, name: str, random: Random) -> None:
        self._random, self._is_first = random, name == "ipu"
        self._bodies = _BODIES[name]
        self._labels = 0

    def program(self) -> str:
        lines = [self._set(f"lr{n}", 0) for n in range(4)]
        if self._random.random() < 0.4:
            inner = [line for _ in range(self._random.randint(1, 2)) for line in self._loop()]
            lines += [*self._count("lr9"), "outer:", *inner, self._step("lr8", 1)]
            lines += [f"{self._branch('bne')} lr8 lr9 outer"]
        else:
            for _ in range(self._random.randint(1, 3)):
                lines += self._loop()
        if self._random.random() < 0.5:
            lines.append(self._random.choice(self._instructions()))
        lines.append(self._branch("bkpt"))
        return (
            "".join(each if each.endswith(":") else f"{each};;" for each in lines)
            .replace(";;", ";;\n")
            .replace(":", ":\n")
        )

    def _loop(self) -> list[str]:
        random = self._random
        label = f"x{self._labels}"
        self._labels += 1
        body = [self._bundle(each) for each in self._shuffled()]
        counter, bound = "lr4", random.choice(("lr5", "lr5" if self._is_first else "cr6"))
        if random.random() < 0.3:
            counter = "lr0"
        step = self._step(counter, 1) if counter == "lr4" else ""
        if counter == "lr0":
            body = [each for each in body if each.split()[:2] not in _STEPS_OF_LR0]
            step = self._pointer("lr0")
        end = self._end(counter, bound)
        place = random.randint(0, len(body))
        body.insert(place, step)
        if random.random() < 0.2:
            body.insert(random.randint(1, len(body)), f"unused{label}:")
        condition = random.choice(("bne", "bne", "blt"))
        if random.random() < 0.25:  # a test at the top
            test = self._branch("beq" if self._is_first else "bge")
            top = [f"{label}:", f"{test} {counter} {end[1]} out{label}"]
            return [*end[0], *top, *body, f"{self._branch('b')} {label}", f"out{label}:"]
        entry = []
        if random.random() < 0.3:  # entered by a branch
            entry = [f"{self._branch('beq')} lr15 lr15 {label}"]
            entry += [f"{self._branch('b')} out{label}"]
        loop = [f"{label}:", *body, f"{self._branch(condition)} {counter} {end[1]} {label}"]
        leave = [f"{self._branch('b')} out{label}", f"out{label}:"] if entry else []
        return [*end[0], *entry, *loop, *leave]

    def _end(self, counter: str, bound: str) -> tuple[list[str], str]:
        """Return what sets counter and bound, and the bound."""
        if counter == "lr4":
            lines = [self._set("lr4", 0)]
            return ([*lines, *self._count("lr5")], "lr5") if bound == "lr5" else (lines, bound)
        trips = self._random.randint(1, 9)
        if self._is_first:
            return [self._set("lr0", 0), f"set lr5 {128 * trips}"], "lr5"
        return [self._set("lr0", 0), "SET lr5 cr0", f"INC lr5 {trips}"], "lr5"

    def _shuffled(self) -> list[str]:
        random = self._random
        chosen = [each for each in self._instructions() if random.random() < 0.3]
        chosen += [self._pointer(f"lr{n}") for n in range(3) if random.random() < 0.7]
        if random.random() < 0.2:
            chosen.append(self._pointer("lr1"))
        if random.random() < 0.7:
            random.shuffle(chosen)
        return chosen or [self._step("lr10", 3)]

    def _instructions(self) -> list[str]:
        found = []
        for each in self._bodies:
            pointer = self._random.choice(("lr0", "lr1", "lr2"))
            found.append(each.replace(" P", f" {pointer}").replace(" E", " lr3"))
        return found

    def _bundle(self, instruction: str) -> str:
        """Return an instruction, sometimes with another one beside it."""
        if self._random.random() < 0.25:
            beside = self._step("lr10", self._random.randint(1, 3))
            return f"{instruction}; {beside}"
        return instruction

    def _pointer(self, register: str) -> str:
        return self._step(register, 128 if self._is_first else 1)

    def _step(self, register: str, value: int) -> str:
        if self._is_first:
            return f"incr {register} {value}"
        if value == 1 and self._random.random() < 0.3:
            return f"ADD {register} {register} cr1"
        return f"INC {register} {value}"

    def _set(self, register: str, value: int) -> str:
        return f"set {register} {value}" if self._is_first else f"SET {register} cr{value}"

    def _count(self, register: str) -> list[str]:
        trips = self._random.choice((1, 2, 3, 5, 8))
        if self._is_first:
            return [f"set {register} {trips}"]
        return [f"SET {register} cr0", f"INC {register} {trips}"]

    def _branch(self, name: str) -> str:
        return name if self._is_first else name.upper()


def check(program: Program, *, rebase: bool) -> str:
    """Return what pipelining does to a program; `different` if it ends in another way."""
    try:
        result = pipelined(program, Options(keeps_registers=not rebase))
        made = read_program(program.isa, packed(result.program).text)
    except ProofError as error:
        return f"not proven: {error}"
    except PackingError as error:
        return f"refused: {str(error).split(':')[0]}"
    made.presets = program.presets
    lost = {name for loop in result.loops for name in loop.lost} if rebase else set()
    ends = control_facts(program)[0].summary.cycles, control_facts(made)[0].summary.cycles
    assert None not in ends
    presets = {**program.isa.resets, **program.presets}
    start = random_state(machine_for(program.isa.name), presets, 1_000)
    old, new = (end_of_run(p, presets, start, c or 0) for p, c in zip((program, made), ends))
    if old is None:
        return "faults"
    if new is None or set(old.differences(new)) - {"pc", *lost}:
        return "different"
    return f"{len(result.loops)} loops pipelined"


def main(arguments: list[str]) -> int:
    """Check random programs; print how often each outcome came, and the wrong ones."""
    given = [int(each) for each in arguments]
    count, first = [*given, *(5_000, 0)[len(given) :]]
    packing._RUNS = 1  # type: ignore[misc]  # each is run once more here
    outcomes: Counter[str] = Counter()
    wrong = 0
    for seed in range(first, first + count):
        name = ("ipu", "ipu2")[seed % 2]
        outcome = check(random_program(name, seed), rebase=seed % 4 > 1)
        outcomes[f"{name}: {outcome}"] += 1
        if outcome == "different" or outcome.startswith("not proven"):
            wrong += 1
            print(name, seed, outcome, flush=True)
    for outcome, times in outcomes.most_common():
        print(f"{times:6,} {outcome}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
