"""Templates on the command line of `ipu-lint`: contexts and values from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.lint.command import main
from tests.cli.commands import run

CONFIGURATION = '[template."k/*.asm"]\ncontexts = [{reg = 3}, {reg = 30}]\n'
TEMPLATE = "set lr{{ reg }} 1;;\nbkpt;;\n"
WRONG = "operand `reg`: expected a loop register (`lr0` to `lr15`), found `lr"
AT = "k/a.asm:1:5: error[E104] "


FILES = {"ipu.toml": CONFIGURATION, "k/a.asm": TEMPLATE}


def check(arguments: str, status: int, *beginnings: str) -> None:
    """A run with these arguments prints lines that begin like this."""
    ran = run(main, ["--format", "concise", *arguments.split()])
    assert ran.status == status
    lines = (ran.out + ran.err).splitlines()
    assert [line[: len(start)] for line, start in zip(lines, beginnings)] == list(beginnings)
    assert len(lines) == len(beginnings)


@pytest.mark.parametrize("value", ["reg", "=3", "3=3", "a-b=3"])
def test_a_define_without_name_or_value_is_wrong_usage(value: str) -> None:
    check(f"k --define {value}", 2, "ipu-lint: error: argument --define: expected ")


def test_without_configuration_a_template_has_no_context() -> None:
    check("k --isolated --define reg=20", 1, f"{AT}{WRONG}20`")
    Path("k/a.asm").write_text("set lr0 1;; # {{ 3 }}\nbkpt;;\n")
    check("k --isolated", 0)
