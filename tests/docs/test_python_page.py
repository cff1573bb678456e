"""The examples of the page on Python print what stands below them."""

from __future__ import annotations

import doctest
import re
from typing import Any

from tests.docs.commands import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_examples_print_what_stands_below_them() -> None:
    blocks = re.findall(r"^```pycon\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {}
    said: list[str] = []
    attempted = 0
    for number, block in enumerate(blocks):
        example = doctest.DocTestParser().get_doctest(block, names, f"block {number}", None, 0)
        runner = doctest.DocTestRunner()
        attempted += runner.run(example, out=said.append, clear_globs=False).attempted
        names = example.globs
    assert said == []
    assert attempted > 30


def test_the_page_names_what_the_packages_offer() -> None:
    import ipu_asm
    from ipu_asm import emulator

    offered = {*ipu_asm.__all__, *emulator.__all__}
    rarely = {
        "Analysis", "CycleLimitError", "ExecutionFault", "Fault", "InstructionError",
        "MULT_STAGE_MAP", "MachineModel", "NoMachineError", "ProgramError", "R_ACC_SIZE",
        "R_REG_SIZE", "RegFile", "Refusal",
    }  # fmt: skip
    assert {name for name in offered - rarely if name not in PAGE} == set()
