"""What is remembered across edits never tells on an edit: it says what a fresh look says."""

from __future__ import annotations

import gc
import weakref
from functools import lru_cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rules import rules_for
from ipu_asm.program.edits import LocalResult
from ipu_asm.program.program import Program
from ipu_asm.text import Change, change_between
from tests.invariants import alive, assert_same
from tests.marked import unmarked

OF_THE_IPU = "a: incr lr0 1;;\nb a;;\nbne lr0 lr1 nowhere;;\nacc;;\na: acc;;\nbkpt;;\n"
MORE = ("\n", " ", ":", ";", "x", "1:\n", "q", "{", "}", "// a\n", "/*", "*/", "#include <a>\n")


@lru_cache
def lines_of(name: str) -> list[str]:
    """The lines of all examples of the rules for an instruction set."""
    rules = (rule for rule in rules_for(load_isa(name)) if rule.isa == name)
    texts = [unmarked(text)[0] for rule in rules for text in (*rule.valid, *rule.invalid)]
    texts += [OF_THE_IPU] if name == "ipu" else []
    return [f"{line}\n" for text in texts for line in text.split("\n")]


def check_edits(name: str, seed: int, count: int = 12) -> None:
    """After each of some edits the analysis is that of the text."""
    random, lines = Random(seed), lines_of(name)
    analyzer, fresh = Analyzer(load_isa(name)), Analyzer(load_isa(name))
    first = random.randrange(len(lines))
    text = "".join(lines[first : first + random.randrange(1, 60)])
    before = None
    for _ in range(count):
        change = told_change(before.text, text, random) if before else None
        analysis = analyzer.analyze(text, before=before, change=change)
        assert_same(analysis, fresh.analyze(text))
        before, text = analysis, edited(text, random, lines)


def told_change(old: str, new: str, random: Random) -> Change | None:
    """What a caller may say of an edit: the change, one around it, a wrong one, or nothing."""
    start, old_end, new_end = change_between(old, new)
    before, behind = random.randrange(start + 1), random.randrange(len(old) - old_end + 1)
    return random.choice(
        (
            Change(start, old_end, new_end),
            Change(start - before, old_end + behind, new_end + behind),
            Change(start + 1, old_end, new_end + 2),
            Change(-1, -5, 3),
            None,
        )
    )


def edited(text: str, random: Random, lines: list[str]) -> str:
    """The text after an edit: a character, a line, some lines, or a word wherever it is."""
    words = text.split() or [" "]
    starts = [0, *(n + 1 for n, character in enumerate(text) if character == "\n")]
    line, count = random.choice(starts), random.randrange(3)
    place = random.randrange(len(text) + 1)
    at = random.randrange(len(lines))
    some = "".join(lines[at : at + random.randrange(1, 8)])
    return random.choice(
        (
            text[:place] + random.choice(MORE) + text[place:],
            text[:place] + text[place + 1 :],
            text[:line] + some + text[line:],
            text[:line] + "\n" + text[line:],
            text[:line] + text[min((s for s in starts if s > line), default=len(text)) :],
            text[:place] + text[place + 20 * count :],
            text + some,
            text.replace(random.choice(words), random.choice(words)),
            text.replace(random.choice(words), random.choice(words), 3),
        )
    )


@pytest.mark.usefixtures("short_control_runs")
@pytest.mark.parametrize("name", available_isas())
def test_an_edited_program_says_what_a_new_one_says(name: str) -> None:
    @given(st.integers(0, 1 << 32))
    def check(seed: int) -> None:
        check_edits(name, seed)

    check()


@pytest.fixture
def ipu() -> Isa:
    return load_isa("ipu")


def test_bundles_between_those_that_an_edit_changes_are_kept(ipu: Isa) -> None:
    analyzer = Analyzer(ipu)
    before = analyzer.analyze("incr lr0 1;;\nacc;;\nincr lr0 1;;\nacc;;\nincr lr0 1;;\nacc;;\n")
    tested: list[str] = []

    def is_any(_isa: Isa, bundle: Bundle) -> bool:
        tested.append(bundle.syntax.text.strip())
        return True

    def work(program: Program, number: int) -> LocalResult[int]:
        worked.append(number)
        return LocalResult(1, 0, number)

    worked: list[int] = []
    before.program.where(is_any)
    for number in range(6):
        before.program.per_bundle(work, number)
    tested.clear()
    worked.clear()
    text = before.text.replace("lr0 1;;\nacc;;\nincr lr0 1", "lr1 1;;\nacc;;\nincr lr1 1")
    after = analyzer.analyze(text, before=before)
    assert after.program.where(is_any)[:6] == list(range(6))
    assert tested == ["incr lr1 1;;", "incr lr1 1;;"]
    for number in range(6):
        after.program.per_bundle(work, number)
    assert worked == [0, 1, 2, 3]


def test_an_analysis_of_the_whole_program_is_repeated_only_for_other_inputs(ipu: Isa) -> None:
    analyzer = Analyzer(ipu)
    before = analyzer.analyze("acc;;\nset lr0 1;;\n")
    computed: list[int] = []

    def ask(analysis: Analysis, inputs: list[int]) -> int:
        def total() -> int:
            computed.append(sum(inputs))
            return computed[-1]

        return analysis.program.cache.whole("total", inputs, total)

    assert [ask(before, [1, 2]), ask(before, [1, 2])] == [3, 3]
    after = analyzer.analyze("acc;;\nset lr0 2;;\n", before=before)
    assert [ask(after, [1, 2]), ask(after, [1, 3])] == [3, 4]
    assert computed == [3, 4]


def test_an_analysis_outlives_a_state_in_which_nobody_asks(ipu: Isa) -> None:
    analyzer = Analyzer(ipu)
    text = "set lr1 4;;\nl: incr lr0 1; bne lr0 lr1 l;;\nbkpt;;\n"
    first = analyzer.analyze(text)
    broken = analyzer.analyze(text.replace("bkpt", "bkp"), before=first)
    mended = analyzer.analyze(text, before=broken)
    assert control_facts(broken.program) == ()
    assert control_facts(mended.program) is control_facts(first.program)


def test_only_new_bundles_are_tested(ipu: Isa) -> None:
    asked: list[str] = []

    def is_acc(_isa: Isa, bundle: Bundle) -> bool:
        asked.append(bundle.syntax.text)
        return "acc" in bundle.syntax.text

    analyzer = Analyzer(ipu)
    before = analyzer.analyze("acc;; incr lr0 1;; acc;;")
    assert before.program.where(is_acc) == [0, 2]
    asked.clear()
    after = analyzer.analyze("acc;; incr lr0 1;; acc.first;; bkpt;; acc;;", before=before)
    assert after.program.where(is_acc) == [0, 2, 4]
    assert asked == [" acc.first;;", " bkpt;;"]


@pytest.mark.parametrize(
    ("text", "worked"),
    [
        ("acc;; incr lr0 1;; incr lr0 2;; acc;; acc;;", []),
        ("acc.first;; incr lr0 1;; incr lr0 2;; acc;;", []),
        ("acc;; acc;; acc;; incr lr0 1;; incr lr0 2;; acc;;", []),
        ("acc;; incr lr0 1;; incr lr0 3;; acc;;", [1, 2]),
        ("acc;; incr lr0 1;; set lr1 2;; incr lr0 2;; acc;;", [1]),
        ("acc;; incr lr0 1;; incr lr0 2;; acc.first;;", [2]),
        # Who asks for labels may hear something else.
        ("x: acc;; incr lr0 1;; incr lr0 2;; acc;;", [1, 2]),
    ],
)
def test_work_is_done_again_where_something_that_it_saw_has_changed(
    ipu: Isa, text: str, worked: list[int]
) -> None:
    done: list[int] = []

    def next_but_no_further(program: Program, number: int) -> LocalResult[str]:
        done.append(number)
        return LocalResult(0, 1, program.bundles[number + 1].syntax.text)

    def look(program: Program) -> list[str]:
        increments = [n for n, b in enumerate(program.bundles) if "incr" in b.syntax.text]
        return [program.per_bundle(next_but_no_further, number) for number in increments]

    analyzer = Analyzer(ipu)
    before = analyzer.analyze("acc;; incr lr0 1;; incr lr0 2;; acc;;")
    look(before.program)
    done.clear()
    after = analyzer.analyze(text, before=before)
    found, again = look(after.program), done.copy()
    assert found == look(Analyzer(ipu).analyze(text).program)
    assert again == worked


def test_states_do_not_keep_each_other_alive(ipu: Isa) -> None:
    analyzer = Analyzer(ipu)
    analysis: Analysis | None = analyzer.analyze(OF_THE_IPU)
    first = weakref.ref(analysis.program) if analysis else None
    for number in range(5):
        analysis = analyzer.analyze(f"{OF_THE_IPU}incr lr0 {number};;\n", before=analysis)
    gc.collect()
    assert first is not None
    assert first() is None
    assert analysis is not None
    assert analysis.program.where(_is_labelled) == [0, 4]


@pytest.mark.parametrize("name", available_isas())
def test_only_an_analyzer_remembers_bundles(name: str) -> None:
    text = "".join(lines_of(name)[:200])
    before = alive(Bundle, Program)
    for number in range(10):
        assert Analyzer(load_isa(name)).analyze(f"{text}q{number}\n").diagnostics
    assert alive(Bundle, Program) == before


def _is_labelled(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.label is not None
