"""Registers of the host get a value by a comment, where cycles or addresses depend on it."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.code_actions import host_values
from ipu_asm.ide.run_inputs import run_totals
from ipu_asm.text import Span
from tests.ide.control_run.kernels import WAITING


def titles(text: str, what: str) -> list[str]:
    start = text.index(what)
    return [action.title for action in host_values(analyze(text), Span(start, start))]


def test_the_trips_of_a_loop_and_the_base_of_a_load_are_offered() -> None:
    offered = ["Give `cr4` a value: `# CR cr4 = 128`"]
    assert titles(WAITING, "blt") == offered
    assert titles(WAITING, "ldr") == [
        *offered,
        "Give `cr1` a value: `# CR cr1 = 128`",
    ]
    assert titles(WAITING, "bkpt") == []


def test_a_register_with_a_value_is_not_offered() -> None:
    assert titles(f"# CR cr4 = 7\n{WAITING}", "blt") == []


@pytest.mark.parametrize("head", ["", "\ufeff", "{% set n = 1 %}\n"])
def test_the_edit_makes_the_cycles_known(head: str) -> None:
    text = head + WAITING
    analysis = analyze(text)
    assert run_totals(analysis.effective_program).cycles is None
    start = text.index("blt")
    (action,) = host_values(analysis, Span(start, start))
    ((span, comment),) = action.edits
    edited = text[: span.start] + comment + text[span.end :]
    assert edited.startswith(("# CR", "\ufeff# CR"))
    assert run_totals(analyze(edited).effective_program).cycles == 1 + 2 * 128 + 1


def test_nothing_is_offered_in_programs_with_errors_and_other_sets() -> None:
    assert titles("nonsense;;", "nonsense") == []
    analysis = analyze(" nop\n", "xdna1")
    assert host_values(analysis, Span(1, 1)) == []
