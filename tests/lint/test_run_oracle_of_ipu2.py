"""What the rules tell of unloaded registers of `ipu2` is what runs of random kernels do."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.assembler.encode import encode
from ipu_asm.isa import load_isa
from ipu_asm.program.program import Program
from ipu_asm.source.expansion import SourceSettings
from tests.flow.ipu2_control import Control, presets_of
from tests.scalar_machine import ScalarFault
from tests.vectors import records

_ANALYZER = Analyzer(load_isa("ipu2"))
_MOST_CYCLES = 2_000
_RING, _PAIR, _WINDOW = 512, 256, 128


class Shadow(NamedTuple):
    """The addresses of multiplications of what nothing has loaded, of faults, and the end."""

    unloaded: set[int]
    faults: set[int]
    has_ended: bool


class _Loaded:
    """The elements of r_cyclic, and of r0 with r1 after it, that have been loaded."""

    def __init__(self) -> None:
        self.ring: set[int] = set()
        self.pair: set[int] = set()

    def load(self, words: list[str], lr: list[int]) -> None:
        """Follow a load; `lr` are the registers after the bundle's own steps."""
        if words[0] == "ldr_mult_reg":
            self.pair |= {_WINDOW * int(words[1][1]) + n for n in range(_WINDOW)}
        elif words[0] == "ldr_cyclic_mult_reg":
            self.ring |= {lr[int(words[3][2:])] + n for n in range(_WINDOW)}

    def lacks(self, words: list[str], lr: list[int]) -> bool:
        """Whether a window or register of a multiplication has no element that is loaded."""

        def window(word: str, size: int, modulus: int) -> set[int]:
            return {(lr[int(word[2:])] + n) % modulus for n in range(size)}

        name, *operands = words
        windows = []
        if name.startswith("mult.rc."):
            windows.append(window(operands[0], _WINDOW, _RING) & self.ring)
        if name == "mult.rc.vv":
            start = _WINDOW * int(operands[1][1])
            windows.append({start + n for n in range(_WINDOW)} & self.pair)
        elif name == "mult.rc.ve" and operands[1].startswith("lr"):
            windows.append(window(operands[1], 1, _PAIR) & self.pair)
        elif name in ("mult.ve", "mult.ee"):
            size = _WINDOW if name == "mult.ve" else 1
            windows.append(window(operands[0], size, _PAIR) & self.pair)
        return not all(windows)


def shadow_run(program: Program, presets: dict[str, int]) -> Shadow:
    """Run a program on the second model of the machine, and watch what it loads and reads."""
    machine, words, loaded = Control.with_registers(presets), encode(program), _Loaded()
    unloaded: set[int] = set()
    for _ in range(_MOST_CYCLES):
        if machine.pc >= len(words):
            return Shadow(unloaded, set(), True)
        address = machine.pc
        try:
            machine.step(words[address])
        except ScalarFault:
            return Shadow(unloaded, {address}, True)
        bundle = program.bundles[program.bundle_at_address[address]]
        texts = [[word.lower() for word in each.words] for each in bundle.instructions]
        # The multiplier reads what was there before the bundle, at indices of the bundle's own.
        if any(text[0].startswith("mult.") and loaded.lacks(text, machine.lr) for text in texts):
            unloaded.add(address)
        for text in texts:
            loaded.load(text, machine.lr)
    return Shadow(unloaded, set(), False)


def check(text: str, presets: dict[str, int]) -> Shadow:
    """The rules tell of a kernel what its run does, at the addresses where it does it."""
    analysis = _ANALYZER.analyze(text, settings=SourceSettings(presets=presets))
    program = analysis.effective_program
    run = shadow_run(program, presets)
    told: dict[str, set[int]] = {}
    for finding in analysis.diagnostics:
        if finding.code.startswith("W3"):
            number = program.bundle_at(finding.span.start)
            told.setdefault(finding.code, set()).add(program.addresses[number])
    if run.has_ended and any(bundle.flow == "halt" for bundle in program.bundles):
        assert told.get("W301", set()) | told.get("W302", set()) == run.unloaded, text
        assert told.get("W303", set()) <= run.faults
        assert bool(run.faults) == bool({"W303", "W310"} & told.keys()), text
    return run


@pytest.mark.parametrize("first", range(0, 240, 80))
def test_random_kernels_are_told_what_they_do(first: int) -> None:
    runs = []
    for seed in range(first, first + 80):
        presets = {"cr2": 0, "cr3": 40, "cr4": 128, "cr5": 256, "cr6": 384, "cr7": 3}
        runs.append(check(random_kernel(Random(seed)), presets))
    assert sum(run.has_ended for run in runs) > 60
    assert sum(bool(run.unloaded) for run in runs) > 30


def test_recorded_programs_are_told_what_they_do() -> None:
    for record in [*records("ipu2_exec"), *records("ipu2_break")]:
        presets = presets_of(record)
        if "{" not in record["asm"]:
            check(record["asm"], presets)


def random_kernel(random: Random) -> str:
    """Nested loops that load and multiply at indices that are drawn."""
    lines = [f"SET lr{n} cr{random.choice((0, 0, 4, 5, 6))};;" for n in range(10, 16)]
    lines += [f"{_load(random)};;" for _ in range(random.randint(0, 3))]
    for depth in range(random.randint(1, 2)):
        lines += [f"SET lr{depth} cr0;;", f"l{depth}:"]
        lines += [_bundle(random) for _ in range(random.randint(1, 3))]
    for depth in reversed(range(2)):
        if f"l{depth}:" in lines:
            lines.append(f"INC lr{depth} 1; {_load(random)};;")
            lines.append(f"{_bundle(random)[:-2]}; BLT lr{depth} cr7 l{depth};;")
    return "\n".join([*lines, "BKPT;;"])


def _load(random: Random) -> str:
    index = f"lr{random.randrange(10, 16)}"
    return random.choice((
        "LDR_MULT_REG r0 lr0 cr3", "LDR_MULT_REG r1 lr1 cr3",
        f"LDR_CYCLIC_MULT_REG lr0 cr3 {index}", f"LDR_CYCLIC_MULT_REG lr1 cr3 {index}",
    ))  # fmt: skip


def _bundle(random: Random) -> str:
    a, b, c = (f"lr{random.randrange(10, 16)}" for _ in range(3))
    update = random.choice((
        f"INCR_MOD_POW2 {a} cr4 9", f"INC {a} 64", f"SET {a} cr5", f"INCR_MOD_POW2 {a} cr1 7",
        "ACC.ADD",
    ))  # fmt: skip
    product = random.choice((
        f"MULT.RC.VV {b} r{random.randrange(2)} 0 lr9 cr15", f"MULT.RC.VE {b} {c} 0 lr9 cr15",
        f"MULT.RC.VE {b} cr3 0 lr9 cr15", f"MULT.RC.VS {b} 0 lr9 cr15",
        f"MULT.VE {c} cr3 0 lr9 cr15", f"MULT.EE {c} cr3 0 lr9 cr15", "AGG.SUM.FIRST lr9 cr15",
    ))  # fmt: skip
    return f"{update}; {_load(random)}; {product};;" if "AGG" not in product else f"{product};;"
