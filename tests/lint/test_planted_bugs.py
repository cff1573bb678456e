"""Bugs of the sorts that kernel authors make are told, and kernels without them are silent."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.diagnostics import ASSERTION_FALSE, Severity
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings
from tests.lint.planted_bugs import BUGS, KERNELS, Bug, Kernel
from tests.lint.planted_bugs_of_ipu2 import BUGS as BUGS_OF_IPU2
from tests.lint.planted_bugs_of_ipu2 import KERNELS as KERNELS_OF_IPU2

_ANALYZER = Analyzer(load_isa("ipu"))
_IPU2 = Analyzer(load_isa("ipu2"))


def check_codes(text: str, presets: dict[str, int], analyzer: Analyzer = _ANALYZER) -> set[str]:
    """The codes of the findings about a kernel, hints aside; it can be assembled."""
    settings = SourceSettings(presets=presets)
    found = [
        finding
        for finding in analyzer.analyze(text, settings=settings).diagnostics
        if finding.severity is not Severity.HINT
    ]
    errors = [finding for finding in found if finding.severity is Severity.ERROR]
    # Assertions in comments of the examples do not hold with some bugs.
    assert [finding.message for finding in errors if finding.rule != ASSERTION_FALSE] == []
    return {finding.code for finding in found}


def planted(bug: Bug) -> str:
    """The text of the kernel with the bug in it."""
    text = KERNELS[bug.kernel].text
    assert bug.old in text
    return text.replace(bug.old, bug.new, 1)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
def test_a_kernel_without_bugs_is_silent(kernel: object) -> None:
    assert isinstance(kernel, type(KERNELS["rows"]))
    assert check_codes(kernel.text, kernel.presets) == set()
    assert check_codes(kernel.text, {}) == set()


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: f"{bug.kernel}-{bug.code}-{bug.new[:24]}")
def test_a_planted_bug_is_told_by_its_rule(bug: Bug) -> None:
    assert bug.code in check_codes(planted(bug), KERNELS[bug.kernel].presets)


def test_there_are_a_hundred_bugs_of_twelve_sorts() -> None:
    assert len({planted(bug) for bug in BUGS}) >= 100
    assert len({bug.code for bug in BUGS}) == 12


@pytest.mark.parametrize("kernel", KERNELS_OF_IPU2.values(), ids=KERNELS_OF_IPU2)
def test_a_kernel_of_ipu2_without_bugs_is_silent(kernel: Kernel) -> None:
    assert check_codes(kernel.text, kernel.presets, _IPU2) == set()


@pytest.mark.parametrize(
    "bug", BUGS_OF_IPU2, ids=lambda bug: f"{bug.kernel}-{bug.code}-{bug.new[:24]}"
)
def test_a_bug_planted_into_a_kernel_of_ipu2_is_told_by_its_rule(bug: Bug) -> None:
    text = KERNELS_OF_IPU2[bug.kernel].text
    assert bug.old in text
    assert bug.code in check_codes(text.replace(bug.old, bug.new, 1), {}, _IPU2)
