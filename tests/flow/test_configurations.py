"""The values of the host: from comments, from the project, and given for one run."""

from __future__ import annotations

from typing import Mapping

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.assertions.syntax import configurations_of
from ipu_asm.flow.control_run.facts import control_facts
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings

IPU = load_isa("ipu")
LOOP = "add lr1 lr1 cr4;;\nagain: incr lr0 1;;\nbne lr0 lr1 again;;\nbkpt;;\n"


def check(text: str, settings: SourceSettings, *expected: Mapping[str, int]) -> None:
    program = Analyzer(IPU).analyze(text, settings=settings).effective_program
    assert list(configurations_of(program)) == list(expected)


def test_without_values_there_is_one_configuration() -> None:
    check(LOOP, SourceSettings(), {})


def test_a_comment_gives_the_values_to_look_at() -> None:
    check(f"# CR cr4 = 64 | 128  # columns\n{LOOP}", SourceSettings(), {"cr4": 64}, {"cr4": 128})


def test_facts_are_computed_in_each_configuration() -> None:
    program = Analyzer(IPU).analyze(f"// CR cr4 = 3 | 0x10\n{LOOP}").program
    assert [facts.presets for facts in control_facts(program)] == [{"cr4": 3}, {"cr4": 16}]
    assert [facts.summary.cycles for facts in control_facts(program)] == [8, 34]


def test_comments_count_before_the_project_and_given_values_before_both() -> None:
    text = f"# CR cr4 = 1 | 2\n{LOOP}"
    project = SourceSettings(configurations=({"cr4": 7, "cr5": 8}, {"cr4": 9, "cr5": 10}))
    each = [{"cr4": four, "cr5": five} for five in (8, 10) for four in (1, 2)]
    check(text, project, *each)
    check(LOOP, project, *project.configurations)
    given = project._replace(presets={"CR4": 5})
    check(text, given, {"cr4": 5, "cr5": 8}, {"cr4": 5, "cr5": 10})


def test_there_are_sixteen_configurations_at_most() -> None:
    values = " | ".join(map(str, range(5)))
    text = f"# CR cr1 = {values}\n# CR cr2 = {values}\n# CR cr3 = {values}\n{LOOP}"
    settings = SourceSettings()
    each = [{"cr1": a, "cr2": b, "cr3": c} for a in range(5) for b in range(5) for c in range(5)]
    check(text, settings, *each[:16])


def test_a_template_has_the_configurations_of_its_project_and_comments() -> None:
    text = f"# CR cr4 = 6\n{{% for n in range(2) %}}acc;;\n{{% endfor %}}{LOOP}"
    check(text, SourceSettings(configurations=({"cr5": 1},)), {"cr5": 1, "cr4": 6})


def test_a_comment_of_a_template_gives_values() -> None:
    text = f"{{% set n = 2 %}}{{# CR cr4 = 6 | 7 #}}\nset lr7 {{{{ n }}}};;\n{LOOP}"
    check(text, SourceSettings(), {"cr4": 6}, {"cr4": 7})


def test_a_comment_that_is_no_assertion_gives_no_values() -> None:
    check(f"# CR cr4 = many\n{LOOP}", SourceSettings(), {})
