"""Values that neither a comment nor the project states are shown from launches and tests."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.config.host_configurations import HostConfiguration, Hosts
from ipu_asm.ide.code_actions import host_values
from ipu_asm.ide.hover import hover
from ipu_asm.ide.run_facts import shown_configurations
from ipu_asm.ide.run_inputs import run_totals
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from ipu_asm.text import Span
from tests.ide.control_run.kernels import WAITING

TEXT = "add lr1 lr0 cr3;;\nl: incr lr0 1; ldr_mult_reg r0 lr0 cr0;;\nblt lr0 lr1 l;;\nbkpt;;\n"
LAUNCH = HostConfiguration({"cr3": 8, "cr0": 0x200}, "last launch, conv")
TEST = HostConfiguration({"cr3": 2}, "test_conv.py:12")


def analyzed(text: str, *hosts: HostConfiguration, chosen: str = "") -> Analysis:
    settings = SourceSettings(hosts=Hosts(hosts, chosen))
    return Analyzer(load_isa("ipu")).analyze(text, settings=settings)


def check_totals(text: str, expected: str, *hosts: HostConfiguration, chosen: str = "") -> None:
    totals = run_totals(analyzed(text, *hosts, chosen=chosen)).text
    assert totals == f"{expected}, 4 of 1,024 bundles"


def test_the_first_launch_is_shown_and_named() -> None:
    check_totals(TEXT, "18 cycles with cr3 = 8 (last launch, conv)", LAUNCH, TEST)
    check_totals(TEXT, "6 cycles with cr3 = 2 (test_conv.py:12)", TEST)


def test_another_configuration_can_be_chosen() -> None:
    name = "test_conv.py:12"
    check_totals(TEXT, f"6 cycles with cr3 = 2 ({name})", LAUNCH, TEST, chosen=name)
    check_totals(TEXT, "18 cycles with cr3 = 8 (last launch, conv)", LAUNCH, TEST, chosen="gone")


def test_a_comment_counts_before_a_launch() -> None:
    check_totals(f"# CR cr3 = 3\n{TEXT}", "8 cycles", LAUNCH)
    check_totals(f"# CR cr3 = 3 | 4\n{TEXT}", "8 cycles with cr3 = 3", TEST)


def test_stated_values_are_completed_by_each_launch() -> None:
    program = analyzed(f"# CR cr3 = 3 | 4\n{TEXT}", LAUNCH, TEST).program
    names = [each.name for each in shown_configurations(program)]
    assert names == ["cr3 = 3, last launch, conv", "cr3 = 4, last launch, conv"]


def test_the_hover_says_where_a_value_is_from() -> None:
    text = f"# CR cr3 = 3\n{TEXT}"
    analysis = analyzed(text, LAUNCH)
    register, load = hover(analysis, text.rindex("cr3")), hover(analysis, text.index("ldr_mult"))
    assert register is not None
    assert load is not None
    assert "Set by the host: 3 (0x3), from a comment" in register.markdown
    assert "with cr0 = 0x200, from last launch, conv)" in load.markdown


def test_findings_do_not_depend_on_launches() -> None:
    far = HostConfiguration({"cr0": 0x1FFFFF, "cr3": 0}, "last launch")
    assert analyzed(TEXT, far).diagnostics == analyzed(TEXT).diagnostics == ()


def titles(text: str, what: str) -> list[str]:
    start = text.index(what)
    return [action.title for action in host_values(analyze(text), Span(start, start))]


def test_the_trips_of_a_loop_and_the_base_of_a_load_are_offered() -> None:
    offered = ["Give `cr4` a value: `# CR cr4 = 128`"]
    assert titles(WAITING, "blt") == offered
    assert titles(WAITING, "ldr") == [*offered, "Give `cr1` a value: `# CR cr1 = 128`"]
    assert titles(WAITING, "bkpt") == []


def test_a_register_with_a_value_is_not_offered() -> None:
    assert titles(f"# CR cr4 = 7\n{WAITING}", "blt") == []


@pytest.mark.parametrize("head", ["", "\ufeff", "{% set n = 1 %}\n"])
def test_the_edit_makes_the_cycles_known(head: str) -> None:
    text = head + WAITING
    analysis = analyze(text)
    assert run_totals(analysis).cycles is None
    start = text.index("blt")
    (action,) = host_values(analysis, Span(start, start))
    ((span, comment),) = action.edits
    edited = text[: span.start] + comment + text[span.end :]
    assert edited.startswith(("# CR", "\ufeff# CR"))
    assert run_totals(analyze(edited)).cycles == 1 + 2 * 128 + 1


def test_nothing_is_offered_in_programs_with_errors_and_other_sets() -> None:
    assert titles("nonsense;;", "nonsense") == []
    analysis = analyze(" nop\n", "xdna1")
    assert host_values(analysis, Span(1, 1)) == []


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("acc;;\nbkpt;;\n", ""),
        ("acc;;\nfrob;;\nbkpt;;\n", ", without line 2"),
        ("acc;;\nfrob;;\nset lr99 1;;\nbkpt;;\n", ", without 2 lines with errors"),
        ("{% if true %}\nacc;;\nfrob;;\n{% endif %}\nbkpt;;\n", ", without line 3"),
    ],
)
def test_totals_say_which_lines_are_not_counted(text: str, remark: str) -> None:
    assert run_totals(analyze(text)).text.endswith(f"bundles{remark}")
