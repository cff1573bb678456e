"""Texts to measure with: the same arguments give the same text on every machine."""

from __future__ import annotations

import enum
import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC

PROGRAM_SIZE = 1024
"""Bundles that fit into instruction memory."""

LABELLED = 1000
"""Bundles from the start among which labels are placed: all of them can be branched to."""

OPERANDS_PER_TYPE: dict[str, list[str]] = {
    "MultStageReg": ["r0", "r1", "mem_bypass"],
    "LrIdx": [f"lr{index}" for index in range(16)],
    "CrIdx": [f"cr{index}" for index in range(16)],
    "LcrIdx": [f"{file}{index}" for file in ("lr", "cr") for index in range(16)],
    "AaqRegIdx": [f"aaq{index}" for index in range(4)],
    "ElementsInRow": ["8", "16", "32", "64"],
    "HorizontalStride": ["off", "on", "on_inv", "on_expand", "on_inv_expand"],
    "VerticalStride": ["off", "on", "on_inv"],
    "AggMode": ["sum", "max"],
    "PostFn": ["value", "value_cr", "inv", "inv_sqrt"],
}

SLOT_CAPACITY = {"lr": 2}
"""Instructions of a slot that a bundle takes, where it is not one."""


class Style(enum.Enum):
    """How a kernel is laid out."""

    BUNDLES = "bundle/line"
    INSTRUCTIONS = "instr/line"


class Probe(NamedTuple):
    """The character (0-based line and column) that an edit replaces by `x` and puts back."""

    line: int
    column: int
    character: str


class _Bundle(NamedTuple):
    instructions: list[str]
    label: str = ""
    remark: str = ""


def kernel(lines: int, style: Style = Style.BUNDLES, seed: int = 0) -> str:
    """A kernel of exactly `lines` (20 or more) lines: tile after tile of a layer, with comments.

    Bundles beyond instruction memory have no labels and no branches, so that a long text has the
    one finding that it is too long and not one per loop.
    """
    rng = random.Random(f"kernel {seed}")
    rows = ["# inputs from cr0, weights from cr1, outputs from cr2", *_rows(_start(), style), ""]
    placed = 0
    for index in range(lines):
        bundles = _tile(index, rng, loops=placed < LABELLED)
        tile = [f"# tile {index}", *_rows(bundles, style), ""]
        if len(rows) + len(tile) >= lines:
            break
        rows += tile
        placed += len(bundles)
    rows += [f"# {number} lines to go" for number in range(lines - len(rows), 1, -1)]
    return "\n".join([*rows, "bkpt;;"]) + "\n"


def repetitive(lines: int) -> str:
    """A text of `lines` lines, one bundle each, among them only eight different ones."""
    rng = random.Random("repetitive")
    eight = [_row(next(_tile_body(index, "", rng))) for index in range(8)]
    return "\n".join(eight[number % 8] for number in range(lines)) + "\n"


def distinct_bundles(count: int, seed: int = 0) -> str:
    """A text of `count` lines, one bundle each, no two alike, of all instructions there are.

    Valid but without sense: operands are random. Every tenth of the first 1,000 bundles has a
    label and branches go to those. Up to 1,000 bundles can be assembled.
    """
    rng = random.Random(f"distinct {seed}")
    labels = [f"at_{index}" for index in range(0, min(count, LABELLED), 10)]
    seen: dict[str, None] = {}
    while len(seen) < count:
        seen.setdefault("; ".join(_random_instructions(rng, labels)) + ";;")
    rows = list(seen)
    for index, label in enumerate(labels):
        rows[index * 10] = f"{label}: {rows[index * 10]}"
    return "\n".join(rows) + "\n"


def python_source(lines: int) -> str:
    """Python code of exactly `lines` lines in which a linter's default rules find nothing."""
    rng = random.Random("python")
    rows: list[str] = []
    for index in range(lines):
        function = _python_function(index, rng)
        if len(rows) + len(function) > lines:
            break
        rows += function
    rows += [f"# {number} lines to go" for number in range(lines - len(rows), 0, -1)]
    return "\n".join(rows) + "\n"


def probe(text: str, pattern: str) -> Probe:
    """The first character of what the pattern's group matches on the line nearest to the middle.

    Raises ValueError if no line matches.
    """
    rows = text.split("\n")
    middle = len(rows) // 2
    for line in sorted(range(len(rows)), key=lambda line: abs(line - middle)):
        if match := re.search(pattern, rows[line]):
            return Probe(line, match.start(1), rows[line][match.start(1)])
    raise ValueError(f"no line matches {pattern!r}")


def _start() -> list[_Bundle]:
    """What all tiles rely on."""
    return [
        _Bundle(["set lr1 -128", "set lr6 -128"], remark="both are moved on before their use"),
        _Bundle(["set lr4 0", "set lr5 0"], remark="no mask, no shift, no rotation"),
        _Bundle(["set lr7 0", "set lr8 1"], remark="lr7-lr11: a fixed input each"),
        _Bundle(["set lr9 2", "set lr10 3"]),
        _Bundle(["set lr11 4"]),
    ]


def _tile(index: int, rng: random.Random, *, loops: bool) -> list[_Bundle]:
    """One tile of a fully connected layer: set up, multiply and accumulate rows, store."""
    base, rows = rng.randrange(0, 0x8000, 128), rng.choice((8, 16, 32, 64))
    count = [_Bundle(["set lr2 0", f"set lr3 {rows - 1}"], remark=f"{rows} rows")] if loops else []
    return [
        _Bundle([f"set lr0 {base:#06x}", "incr lr6 128"], remark="first input, next output"),
        *count,
        _Bundle(["ldr_cyclic_mult_reg lr0 cr0 lr5", "reset_acc"]),
        *_tile_body(index, f"row_{index}" if loops else "", rng),
        _Bundle(["str_acc_reg lr6 cr2", "aaq"], remark="wide and clamped"),
        _Bundle(["incr lr6 512", "xmem.store_aaq_result lr6 cr2"], remark="after the words"),
    ]


def _tile_body(index: int, label: str, rng: random.Random) -> Iterator[_Bundle]:
    """The rows of a tile: a loop of one to four bundles, or straight on where there is no label."""
    last = rng.randrange(1, 5) - 1
    for number in range(last + 1):
        register = f"r{number % 2}"
        work = [f"ldr_mult_reg {register} lr1 cr1"]
        work += [f"mult.ve {register} lr5 lr4 lr4 lr{7 + index % 5}"]
        work += ["acc", f"incr lr1 {rng.choice((128, 256))}"]
        if number == last and label:  # the branch compares the count from before the bundle
            work += ["incr lr2 1", f"bne lr2 lr3 {label}"]
        remark = f"row {number}" if rng.random() < 0.3 else ""
        yield _Bundle(work, label if number == 0 else "", remark)


def _rows(bundles: list[_Bundle], style: Style) -> list[str]:
    return [row for bundle in bundles for row in _layout(bundle, style)]


def _layout(bundle: _Bundle, style: Style) -> list[str]:
    if style is Style.BUNDLES:
        return [_row(bundle)]
    remark = f"  # {bundle.remark}" if bundle.remark else ""
    rows = [f"    {instruction};" for instruction in bundle.instructions]
    rows[-1] += ";"
    rows[0] += remark
    return [f"{bundle.label}:", *rows] if bundle.label else rows


def _row(bundle: _Bundle) -> str:
    start = f"{bundle.label}: " if bundle.label else ""
    remark = f"  // {bundle.remark}" if bundle.remark else ""
    return f"{start}{'; '.join(bundle.instructions)};;{remark}"


def _random_instructions(rng: random.Random, labels: list[str]) -> list[str]:
    slots = [slot for slot in INSTRUCTION_SPEC for _ in range(SLOT_CAPACITY.get(slot, 1))]
    chosen = [slot for slot in slots if rng.random() < 0.6] or [rng.choice(slots)]
    rng.shuffle(chosen)
    destinations = OPERANDS_PER_TYPE["LrIdx"].copy()
    rng.shuffle(destinations)
    return [_random_instruction(slot, rng, labels, destinations) for slot in chosen]


def _random_instruction(
    slot: str, rng: random.Random, labels: list[str], destinations: list[str]
) -> str:
    mnemonic, entry = rng.choice(list(INSTRUCTION_SPEC[slot].items()))
    operands = [_random_operand(operand["type"], rng, labels) for operand in entry["operands"]]
    if slot == "lr":  # two writes of one register in a bundle would be an error
        operands[0] = destinations.pop()
    return " ".join([mnemonic, *operands])


def _random_operand(kind: str, rng: random.Random, labels: list[str]) -> str:
    if kind == "Label":
        return rng.choice(labels)
    if kind.endswith("Immediate"):
        return format(rng.randrange(-32768, 65536), rng.choice(("d", "d", "#x", "#b", "_d")))
    return rng.choice(OPERANDS_PER_TYPE[kind])


def _python_function(index: int, rng: random.Random) -> list[str]:
    step = rng.choice((64, 128, 256))
    return [
        f"def tile_{index}(weights, rows):",
        f'    """Sum up {step} weights of every row."""',
        "    total = 0",
        "    for number, row in enumerate(rows):",
        f"        first = number * {step}",
        f"        chosen = weights[first : first + {step}]  # one tile",
        "        for weight, value in zip(chosen, row):",
        "            total = total + weight * value",
        f"        if total > {rng.randrange(1000, 9999)}:",
        "            break",
        "    return total",
        "",
        "",
    ]
