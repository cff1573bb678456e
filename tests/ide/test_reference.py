"""What the instruction reference is opened at: the instruction that a place is about."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.ide.syntax_element import instruction_at

TEXT = "x: incr lr0 1; foo lr1; acc.first;;  # acc\nb x;;\n"


def check_instruction(fragment: str) -> str | None:
    """The mnemonic of the instruction at the start of a fragment of the text."""
    spec = instruction_at(analyze(TEXT), TEXT.index(fragment))
    return spec and spec.mnemonic


@pytest.mark.parametrize("fragment", ["incr", "ncr", "lr0", "1;"])
def test_an_instruction_is_found_at_its_name_and_at_its_operands(fragment: str) -> None:
    assert check_instruction(fragment) == "incr"


def test_the_instruction_under_the_cursor_counts_not_the_first_of_the_bundle() -> None:
    assert check_instruction("acc.first") == "acc.first"


@pytest.mark.parametrize("fragment", ["x:", "foo", "lr1", "# acc", ":"])
def test_labels_comments_and_unknown_names_are_no_instructions(fragment: str) -> None:
    assert check_instruction(fragment) is None
