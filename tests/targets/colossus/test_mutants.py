"""Mistakes that are put into valid code are found, each by its rule, and nothing else is found."""

from __future__ import annotations

import re
from random import Random
from typing import Callable

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.targets.colossus.operands import NumberOperand, RegisterOperand
from tests.targets.colossus.random_code import FORMS, ISA, PLAIN, halves, instruction, program

COUNT = 40
ANALYZER = Analyzer(ISA)
MAIN = [form for form in PLAIN if form.slot == "main"]
AUX = [form for form in PLAIN if form.slot == "aux"]

# A mutant is a line that has the mistake, or several where it takes several to make one.
Mutation = Callable[[Random], str]


def check_mutant(random: Random, mutant: str, code: str) -> bool:
    """Whether a mistake in the midst of valid code is found; nothing is found elsewhere."""
    lines = program(random)
    assert ANALYZER.analyze("\n".join(lines)).diagnostics == ()
    places = [n for n in range(3, len(lines) + 1) if n == len(lines) or lines[n][:1] == "{"]
    places = [n for n in places if "rpt" not in lines[n - 1]]
    at = random.choice(places)
    before, after = "\n".join(lines[:at]), "\n".join(lines[at:])
    text = f"{before}\n{mutant}\n.align 8\n{after}\n"
    first, last = len(before), len(before) + 1 + len(mutant)
    findings = ANALYZER.analyze(text).diagnostics
    assert all(first < finding.span.start <= last for finding in findings), (mutant, findings)
    assert {finding.code for finding in findings} <= {code}, (mutant, findings)
    return bool(findings)


def without_braces(form: InstructionSpec) -> bool:
    return not form.traits & {"control", "system"}


def two_of_one_lane(random: Random) -> str:
    forms = random.choice((MAIN, AUX))
    first, second = (instruction(random, random.choice(forms)) for _ in range(2))
    return f"{{ {first} ; {second} }}"


def a_third_instruction(random: Random) -> str:
    main, aux = halves(random)
    return f"{{ {main}\n  {aux}\n  {instruction(random, random.choice(PLAIN))} }}"


def halves_swapped(random: Random) -> str:
    main, aux = halves(random)
    return f"{{ {aux} ; {main} }}"


def the_same_result(random: Random) -> str:
    loads = [f for f in MAIN if "load" in f.traits and _first_file(f) == "a"]
    writers = [f for f in AUX if f.operands and f.operands[0].access == "w"]
    load, other = random.choice(loads), random.choice(writers)
    main = re.sub(r"\$a[\d:]+", f"${_group(load)}", instruction(random, load), count=1)
    aux = re.sub(r"\$a[\d:]+", f"${_group(other)}", instruction(random, other), count=1)
    return f"{{ {main} ; {aux} }}"


def _first_file(form: InstructionSpec) -> str:
    kind = form.operands[0].type
    return kind.file if isinstance(kind, RegisterOperand) else ""


def _group(form: InstructionSpec) -> str:
    kind = form.operands[0].type
    assert isinstance(kind, RegisterOperand)
    return kind.format(4)[1:]


def refused_in_a_body(random: Random) -> str:
    main, aux = halves(random)
    good = f"{{ {main} ; {aux} }}"
    forms = [f for f in FORMS if f.slot == "main" and f.traits & {"control", "system"}]
    forms = [f for f in forms if not f.traits & {"alone", "supervisor", "repeat"}]
    single = instruction(random, random.choice(PLAIN))
    bad = random.choice((single, f"{{ {_worker(random, forms)} ; fnop }}"))
    body = random.choice(([bad, good], [good, bad], [good, bad, good]))
    return "\n".join([".align 8", "{ rpt $m1, (4f - 3f) / 8 - 1 ; fnop }", "3:", *body, "4:"])


def _worker(random: Random, forms: list[InstructionSpec]) -> str:
    """An instruction without a control register of the supervisor."""
    text = instruction(random, random.choice(forms))
    return re.sub(r"\$(?:[A-Z]\w*)", "$PC", text)


def a_body_too_long(random: Random) -> str:
    main, aux = halves(random)
    bundles = "\n".join([f"{{ {main} ; {aux} }}"] * random.randrange(257, 300))
    return f"{{ rpt $m1, (4f - 3f) / 8 - 1 ; fnop }}\n3:\n{bundles}\n4:"


def a_body_misaligned(random: Random) -> str:
    main, aux = halves(random)
    pad = "\n".join(["nop"] * random.choice((0, 2, 4)))
    start = random.choice((f"{pad}\nrpt $m1, 0", f"{pad}\nnop\n{{ rpt 7, 0 ; fnop }}"))
    return f".align 8\n{start}\n{{ {main} ; {aux} }}"


def of_the_other_mode(random: Random) -> str:
    workers = [f for f in FORMS if "worker" in f.traits and "repeat" not in f.traits]
    supervisors = [f for f in FORMS if "supervisor" in f.traits]
    if random.random() < 0.5:
        return f".supervisor\n{instruction(random, random.choice(workers))}\n.worker"
    return f".worker\n{_worker(random, supervisors)}"


def a_register_of_the_other_mode(random: Random) -> str:
    number = random.randrange(16)
    if random.random() < 0.5:
        return f".supervisor\nget $m0, $WSR\nput $COUNT_L, $m{number}\n.worker"
    return f"get $m{number}, $CWEI_{number}_{number % 4}"


def alone_in_a_bundle(random: Random) -> str:
    forms = [f for f in FORMS if "alone" in f.traits and "supervisor" not in f.traits]
    form = random.choice([f for f in forms if f.slot == "main"])
    return f"{{ {instruction(random, form)} ; fnop }}"


def half_of_a_bundle(random: Random) -> str:
    return f"{{ {random.choice(halves(random))} }}"


def out_of_range(random: Random) -> str:
    form = random.choice([f for f in PLAIN if _number_at(f) >= 0])
    texts, at = _texts(random, form), _number_at(form)
    kind = form.operands[at].type
    assert isinstance(kind, NumberOperand)
    ends = [(first - step, last + step) for first, last, step in kind.ranges]
    number = random.choice(random.choice(ends))
    ranges = _ranges(form)
    if any(first <= number <= last and number % step == 0 for first, last, step in ranges):
        number = (1 << 33) + 1
    texts[at] = random.choice((str(number), f"({number})", hex(number)))
    return _written(form, texts)


def _ranges(form: InstructionSpec) -> list[tuple[int, int, int]]:
    """What numbers any form of the mnemonic takes."""
    kinds = [o.type for each in ISA.forms(form) for o in each.operands]
    return [r for kind in kinds if isinstance(kind, NumberOperand) for r in kind.ranges]


def _number_at(form: InstructionSpec) -> int:
    kinds = [type(operand.type) for operand in form.operands]
    return kinds.index(NumberOperand) if NumberOperand in kinds else -1


def _texts(random: Random, form: InstructionSpec) -> list[str]:
    text = instruction(random, form)[len(form.mnemonic) :]
    return [part.strip() for part in text.split(",")] if text.strip() else []


def _written(form: InstructionSpec, texts: list[str]) -> str:
    return f"{form.mnemonic} {', '.join(texts)}"


def a_wrong_register(random: Random) -> str:
    form = random.choice([f for f in PLAIN if f.operands and _is_register(f, -1)])
    texts = _texts(random, form)
    texts[-1] = random.choice(("$m16", "$a1:2", "$a0:7", "$a3:6", "$q", "$m0:B", "$a0+=", "r1"))
    return _written(form, texts)


def _is_register(form: InstructionSpec, at: int) -> bool:
    return isinstance(form.operands[at].type, RegisterOperand)


def a_suffix_missing(random: Random) -> str:
    form = random.choice([f for f in PLAIN if re.search(r"\+=|\+\+|@|>>", f.doc.syntax)])
    texts = _texts(random, form)
    at = next(n for n, text in enumerate(texts) if re.search(r"(?:\+=|\+\+|@|>>)$", text))
    texts[at] = re.sub(r"(?:\+=|\+\+|@|>>)$", "", texts[at])
    return _written(form, texts)


def an_operand_missing(random: Random) -> str:
    form = random.choice([f for f in PLAIN if f.operands and not _has_form(f, len(f.operands) - 1)])
    texts = _texts(random, form)
    del texts[random.randrange(len(texts))]
    return _written(form, texts)


def an_operand_too_many(random: Random) -> str:
    form = random.choice([f for f in PLAIN if not _has_form(f, len(f.operands) + 1)])
    return _written(form, [*_texts(random, form), "$m0"])


def _has_form(form: InstructionSpec, count: int) -> bool:
    return any(len(each.operands) == count for each in ISA.forms(form))


def a_mnemonic_misspelt(random: Random) -> str:
    main = random.choice(halves(random))
    return random.choice((f"{main[0]}q{main[1:]}", f"{{ q{main} ; fnop }}"))


def a_brace_missing(random: Random) -> str:
    main, aux = halves(random)
    return random.choice((f"{{ {main} ; {aux}", f"{main} ; {aux} }}", f"{main}\n  {aux} }}"))


def a_label_missing(random: Random) -> str:
    target = random.choice((".Lthere", "8f", "7b"))
    branch = random.choice((f"bri {target}", f"brnzdec $m2, {target}", f"setzi $m3, {target}"))
    return random.choice((branch, f"{{ {branch} ; fnop }}"))


def a_label_again(random: Random) -> str:
    return random.choice(("start:", "start: nop", ".Lx: nop\n.Lx: nop"))


def outside_memory(random: Random) -> str:
    address = random.choice((0, 8, 0x4BFF8, 0xE8000, 0xF0000))
    return f"setzi $m3, {address}\n{random.choice(_ACCESSES)}"


def at_an_odd_address(random: Random) -> str:
    address = random.choice((0x50001, 0x4C002, 0x80005, 0x7FFF1))
    return f"setzi $m3, {address}\n{random.choice(_ACCESSES[:-1])}"


_ACCESSES = (
    "ld32 $m4, $m3, $mzero, 1",
    "ld32 $a4, $m3, 0",
    "{ st64 $a4:5, $mzero, $m3, 0 ; fnop }",
    "ldz16 $m4, $m3, $mzero, 0\nld64step $a4:5, $m3, $m15+=, 0",
    "ld128 $a4:7, $m3, $mzero, 0",
)


def two_words_of_one_bank(random: Random) -> str:
    access = random.choice(("ld128 $a4:7, $m3, $mzero, 0", "ld128step $a0:3, $mzero, $m3+=, 1"))
    return f"ldconst $m3, {random.randrange(0x4C000, 0x80000, 8)}\n{access}"


def code_where_none_is(random: Random) -> str:
    return f"setzi $m3, {random.choice((0, 0x4BFFC, 0x80000, 0xE8000))}\nbr $m3"


MUTATIONS: list[tuple[str, Mutation]] = [
    ("E001", a_brace_missing),
    ("E101", a_mnemonic_misspelt),
    ("E102", an_operand_missing),
    ("E103", an_operand_too_many),
    ("E104", a_wrong_register),
    ("E104", a_suffix_missing),
    ("E106", out_of_range),
    ("E201", two_of_one_lane),
    ("E201", a_third_instruction),
    ("E301", a_label_missing),
    ("E302", a_label_again),
    ("C101", halves_swapped),
    ("C102", the_same_result),
    ("C103", refused_in_a_body),
    ("C103", a_body_too_long),
    ("C104", a_body_misaligned),
    ("C105", of_the_other_mode),
    ("C105", a_register_of_the_other_mode),
    ("C106", alone_in_a_bundle),
    ("C107", half_of_a_bundle),
    ("C201", outside_memory),
    ("C202", at_an_odd_address),
    ("C203", two_words_of_one_bank),
    ("C204", code_where_none_is),
]


@pytest.mark.parametrize(
    ("code", "mutation"), MUTATIONS, ids=lambda each: getattr(each, "__name__", each)
)
def test_a_mistake_is_found_and_nothing_else(code: str, mutation: Mutation) -> None:
    random = Random(f"{mutation.__name__} 1")
    found = [check_mutant(random, mutation(random), code) for _ in range(COUNT)]
    assert sum(found) >= 0.95 * COUNT


def test_valid_code_is_silent() -> None:
    random = Random(3)
    for form in FORMS:
        for _ in range(4):
            mode = ".supervisor" if "supervisor" in form.traits else ""
            text = f"{mode}\n{instruction(random, form)}\n"
            found = [f for f in ANALYZER.analyze(text).diagnostics if f.code != "C105"]
            assert found == [], text
    for _ in range(100):
        assert ANALYZER.analyze("\n".join(program(random, 20))).diagnostics == ()
