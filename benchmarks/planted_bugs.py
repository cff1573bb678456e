"""Bugs of kernel authors, planted by rule into kernels without findings: how many are told?

`python -m benchmarks planted_bugs` plants each sort of bug wherever a kernel has what it needs: the
number in every `set` of a pointer, each load, each counter, and so on. A bug counts as told if its
rule has a finding that the kernel does not have, as told by another if only another rule has one.
Kernels are those of `tests/data/planted`, the examples, and generated ones. `--quick` is ignored.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator, NamedTuple

from benchmarks.report import Target, print_table
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import Severity
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings

TOLD_OF_A_HUNDRED = 95

_ROOT = Path(__file__).resolve().parents[1]
_FOLDERS = (_ROOT / "tests" / "data" / "planted", _ROOT / "examples")
_GENERATED = 12
_MOST_OF_A_SORT = 3
"""Bugs of one sort in one kernel."""
_HOST = {"cr2": 1024, "cr3": 1024, "cr4": 2048, "cr6": 1024}
"""Sizes with which the host starts the examples."""


class Bug(NamedTuple):
    """A sort of bug, and a kernel with it."""

    sort: str
    codes: tuple[str, ...]
    kernel: str
    text: str


class Sort(NamedTuple):
    """A sort of bug: the rules that tell it, and the texts with it that are made of a kernel."""

    name: str
    codes: tuple[str, ...]
    plant: Callable[[str], Iterator[str]]


def _replaced(pattern: str, *texts: str) -> Callable[[str], Iterator[str]]:
    """Return a function that replaces each match of a pattern, by each of the templates."""
    expression = re.compile(pattern, re.MULTILINE)

    def plant(text: str) -> Iterator[str]:
        for match in expression.finditer(text):
            for template in texts:
                yield text[: match.start()] + match.expand(template) + text[match.end() :]

    return plant


def _branches(text: str, group: int) -> set[str]:
    """Return the registers that branches compare: the left ones (2) or the right ones (3)."""
    return {match[group] for match in _BRANCH.finditer(text)}


def _bounds(text: str) -> Iterator[str]:
    """Yield texts in which the bound of a loop is 0."""
    for register in sorted(_branches(text, 3)):
        yield from _replaced(rf"(set +{register} +)[1-9]\d*\b", r"\g<1>0")(text)


def _counters(text: str) -> Iterator[str]:
    """Yield texts in which the counter of a loop is not stepped."""
    for register in sorted(_branches(text, 2)):
        yield from _replaced(rf"incr +{register} +\d+\b", "add lr13 lr14 lr14")(text)


def _other_products(text: str) -> Iterator[str]:
    """Yield texts in which a product reads a register that nothing loads."""
    for register in ("r1", "mem_bypass"):
        if not re.search(rf"ldr_mult_reg +{register}\b", text):
            yield from _replaced(r"(mult\.(?:ve|ee) +)r0\b", rf"\g<1>{register}")(text)


def _other_values(text: str) -> Iterator[str]:
    """Yield texts in which a register is set to another value than the header says."""
    for register, value in re.findall(r"^#.*?\b(lr\d+) = (\d+)", text, re.MULTILINE):
        yield from _replaced(rf"(set +{register} +){value}\b", rf"\g<1>{int(value) + 128}")(text)


def _other_trips(text: str) -> Iterator[str]:
    """Yield texts in which a loop has one trip more than its assertion says."""
    for trips in re.findall(r"# LOOP (\d+)", text):
        yield from _replaced(rf"(set +lr\d+ +){trips}\b", rf"\g<1>{int(trips) + 1}")(text)


def _starts(text: str) -> Iterator[str]:
    """Yield texts in which a pointer starts at 0 that is stepped in the bundle of its access."""
    for bundle in re.sub(r"#.*", "", text).split(";;"):
        for register in re.findall(r"incr +(lr\d+)", bundle):
            if re.search(rf"(?:ldr|str|store)\w* +(?:r\d +|mem_bypass +)?{register}\b", bundle):
                yield from _replaced(rf"(set +{register} +)(-128|-256|-512)\b", r"\g<1>0")(text)


_BRANCH = re.compile(r"(bne|blt|bnz) +(lr\d+) +(lr\d+)")
_START = r"(set +(lr\d+) +)(-128|-512)\b"
_LOOP = r"((?:bne|blt|bnz) +)(lr\d+)( +lr\d+ +\w+)"
_SORTS = (
    Sort(
        "a load is forgotten",
        ("W301", "W302"),
        _replaced(r"ldr_(?:cyclic_)?mult_reg [^;\n]*", "acc_nop"),
    ),
    Sort("a product reads the other register", ("W301",), _other_products),
    Sort(
        "a row goes to another part of the ring",
        ("W302",),
        _replaced(r"(ldr_cyclic_mult_reg +\S+ +\S+ +)lr\d+", r"\1lr15; set lr15 384"),
    ),
    Sort("a pointer starts a row too early", ("W303",), _replaced(_START, r"\g<1>-1024")),
    Sort("a pointer starts at 0 and is stepped first", ("W304",), _starts),
    Sort(
        "a store has a constant offset",
        ("W305",),
        _replaced(r"(str_acc_reg +|xmem\.store_aaq_result +)lr\d+", r"\1lr15"),
    ),
    Sort(
        "a maximum is not begun anew",
        ("W306",),
        _replaced(r"(agg +sum +value_cr +\S+ +)aaq\d", r"\1aaq3"),
    ),
    Sort("a bound is 0", ("W307", "W310"), _bounds),
    Sort(
        "a stride does not fit",
        ("W308",),
        _replaced(r"(acc\.stride +\d+ +)(\w+)( +)on\b", r"\1\2\3off", r"\1\2\3reserved3"),
    ),
    Sort(
        "a register is set twice",
        ("W309",),
        _replaced(r"(set +(lr\d+) +-?\d+)(?=;)", r"set \2 77;; \1"),
    ),
    Sort("a counter is another register", ("W310", "W303"), _replaced(_LOOP, r"\1lr14\3")),
    Sort("a counter is not stepped", ("W310",), _counters),
    Sort("the header says another value", ("W311",), _other_values),
    Sort("a loop has a trip too many", ("E501",), _other_trips),
)


def run(quick: bool = False) -> list[Target]:
    """Plant all bugs, print how many are told, and return the share and the false alarms."""
    kernels = _kernels()
    bugs = [bug for name, text in kernels.items() for bug in _bugs(name, text)]
    rows, missed = [], []
    told_of: Counter[str] = Counter()
    for sort in _SORTS:
        own = [bug for bug in bugs if bug.sort == sort.name]
        results: Counter[str] = Counter()
        for bug in own:
            codes = _codes(bug.text) - _codes(kernels[bug.kernel])
            result = "told" if codes & set(bug.codes) else "other" if codes else "missed"
            results[result] += 1
            missed += [bug] if result == "missed" else []
        told_of.update(results)
        counts = [str(results[name]) for name in ("told", "other", "missed")]
        rows.append([sort.name, ", ".join(sort.codes), str(len(own)), *counts])
    header = ("sort", "rules", "planted", "told", "by another rule", "missed")
    print_table("planted bugs", header, rows)
    for bug in missed[:20]:
        print(f"missed in {bug.kernel}: {bug.sort}: {_difference(kernels[bug.kernel], bug.text)}")
    for name, text in kernels.items():
        if _codes(text):
            print(f"false alarm in {name}: {', '.join(sorted(_codes(text)))}")
    silent = sum(not _codes(text) for text in kernels.values())
    print(f"{silent} of {len(kernels)} kernels without a bug are silent")
    share = 100 * (len(bugs) - told_of["missed"]) / len(bugs)
    print(f"{share:.1f} of 100 are told, {100 * told_of['told'] / len(bugs):.1f} by their own rule")
    return [
        Target("missed of 100 planted bugs", 100 - share, 100 - TOLD_OF_A_HUNDRED),
        Target("kernels with a false alarm", len(kernels) - silent, 0),
    ]


def _kernels() -> dict[str, str]:
    paths = [path for folder in _FOLDERS for path in sorted(folder.glob("*.s"))]
    texts = {path.name: path.read_text("utf-8") for path in paths}
    found = {name: text for name, text in texts.items() if not name.startswith("ipu2")}
    found.update((f"generated {seed}", _generated(seed)) for seed in range(_GENERATED))
    return found


def _bugs(name: str, text: str) -> Iterator[Bug]:
    """Yield bugs that change what the kernel does, and leave it without errors."""
    before = _behaviour(text)
    for sort in _SORTS:
        chosen = []
        for planted in sort.plant(text):
            behaviour = _behaviour(planted)
            if behaviour is not None and (behaviour != before or sort.name in _SAME_BEHAVIOUR):
                chosen.append(planted)
        random.Random(f"{name} {sort.name}").shuffle(chosen)
        yield from (Bug(sort.name, sort.codes, name, each) for each in chosen[:_MOST_OF_A_SORT])


_SAME_BEHAVIOUR = (
    "a register is set twice",
    "a stride does not fit",
    "a maximum is not begun anew",
    "a product reads the other register",
)
"""Sorts that control and addresses do not depend on."""

_ANALYZER = Analyzer(load_isa("ipu"))
_SETTINGS = SourceSettings(presets=_HOST)


def _codes(text: str) -> set[str]:
    findings = _ANALYZER.analyze(text, settings=_SETTINGS).diagnostics
    return {each.code for each in findings if each.severity is not Severity.HINT}


def _behaviour(text: str) -> object:
    """Return what a kernel executes and accesses; None for one with errors."""
    analysis = _ANALYZER.analyze(text, settings=_SETTINGS)
    is_broken = any(
        each.severity is Severity.ERROR and each.code != "E501" for each in analysis.diagnostics
    )
    facts = () if is_broken else control_facts(analysis.effective_program)
    return (facts[0].run.end, facts[0].run.nodes, facts[0].run.steps) if facts else None


def _difference(text: str, planted: str) -> str:
    pairs = zip(text.split("\n"), planted.split("\n"))
    return next((b.strip() for a, b in pairs if a != b), "")


def _generated(seed: int) -> str:
    """Return a kernel of two layers: rows in a ring times weights, then a sum or a maximum."""
    rng = random.Random(f"planted {seed}")
    rows, columns = rng.choice((3, 4, 6)), rng.choice((3, 5, 8))
    step = rng.choice((128, 256))
    return f"""\
# rows from cr0, weights from cr1, products to cr2
#   lr9 = {step * rows}: the end of the rows
    set lr1 -{step}; set lr2 {rows * step - step};;
    set lr4 -512; set lr5 -1;;
    ldr_mult_reg r0 lr0 cr1;;
row:
    incr lr1 {step};
    ldr_cyclic_mult_reg lr1 cr0 lr0;;
    set lr6 0; set lr7 {columns}; reset_acc;;
column:  # LOOP {columns}
    mult.ve r0 lr0 lr0 lr0 lr6;
    acc;
    incr lr6 1;;
    blt lr6 lr7 column;;
    incr lr4 512;
    str_acc_reg lr4 cr2;
    blt lr1 lr2 row;;
    set lr8 0; set lr9 {step * rows};;
again:
    ldr_mult_reg r1 lr8 cr0;
    mult.ve r1 lr0 lr0 lr0 lr0;
    acc.first;
    incr lr8 {step};;
    blt lr8 lr9 again;;
    bkpt;;
"""
