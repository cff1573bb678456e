"""What labels are called, and where directives stand, changes no number of a report."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.flow.certificate import certificate_of
from ipu_asm.isa import load_isa
from ipu_asm.program.line_table import LineTable
from ipu_asm.reports.performance.report import performance_report
from ipu_asm.reports.performance.text import report_data
from tests.flow.test_landing import random_source

ANALYZER = Analyzer(load_isa("xdna1"))
LABEL = re.compile(r"\.[LSE]\d_\d")


def numbers(text: str) -> Any:
    """The report and the certificate of a text, without lines and names."""
    program = ANALYZER.analyze(text).effective_program
    data = report_data(performance_report(program, LineTable(program), None, with_moves=False))
    data = without_places(data)
    certificate = certificate_of(program)
    kinds = [(each.kind, each.meeting.distance) for each in certificate.breaches]
    return data, kinds, certificate.paths, len(certificate.relied)


def without_places(data: Any) -> Any:
    if isinstance(data, dict):
        places = ("label", "row")
        return {key: without_places(data[key]) for key in data if key not in places}
    return [without_places(each) for each in data] if isinstance(data, list) else data


def renamed(text: str) -> str:
    """Other names for the labels inside of functions, local by their prefix or not."""
    names = {name: f"{'.L' * (n % 2)}inner{n}" for n, name in enumerate(LABEL.findall(text))}
    return LABEL.sub(lambda match: names[match[0]], text)


def with_directives_first(text: str) -> str:
    lines = text.splitlines()
    about = [line for line in lines if line.startswith((".globl", ".type"))]
    return "\n".join([*about, *(line for line in lines if line not in about)]) + "\n"


def with_directives_behind(text: str) -> str:
    lines = with_directives_first(text).splitlines()
    about = [line for line in lines if line.startswith((".globl", ".type"))]
    return "\n".join([*lines[len(about) :], *about]) + "\n"


@pytest.mark.parametrize(
    "change",
    [renamed, with_directives_first, with_directives_behind],
    ids=lambda change: change.__name__,
)
def test_a_change_of_names_or_directives_changes_no_number(change: Any) -> None:
    for seed in range(40):
        text = random_source(seed).text
        assert numbers(change(text)) == numbers(text), seed
