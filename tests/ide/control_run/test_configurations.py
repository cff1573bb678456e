"""Values that neither a comment nor the project states are shown from launches and tests."""

from __future__ import annotations

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.config.host_configurations import HostConfiguration, Hosts
from ipu_asm.ide.hover import hover
from ipu_asm.ide.run_facts import shown_configurations
from ipu_asm.ide.run_inputs import run_totals
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings

TEXT = "add lr1 lr0 cr3;;\nl: incr lr0 1; ldr_mult_reg r0 lr0 cr0;;\nblt lr0 lr1 l;;\nbkpt;;\n"
LAUNCH = HostConfiguration({"cr3": 8, "cr0": 0x200}, "last launch, conv")
TEST = HostConfiguration({"cr3": 2}, "test_conv.py:12")


def analyzed(text: str, *hosts: HostConfiguration, chosen: str = "") -> Analysis:
    settings = SourceSettings(hosts=Hosts(hosts, chosen))
    return Analyzer(load_isa("ipu")).analyze(text, settings=settings)


def check_totals(text: str, expected: str, *hosts: HostConfiguration, chosen: str = "") -> None:
    totals = run_totals(analyzed(text, *hosts, chosen=chosen).program).text
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
