"""Colours of mnemonics by slot, in the themes that Visual Studio Code brings."""

from __future__ import annotations

import json

import pytest

from ipu_asm.isa import load_isa
from ipu_asm.reports.reference import PALETTE, slot_colours
from tests.editors.patience import soon
from tests.editors.vscode import VSCode
from tests.editors.vscode_user import VSCodeUser

KERNEL = """\
step:
    incr          lr1 1;
    ldr_mult_reg  r0 lr1 cr0;
    mult.ve       r0 lr0 lr0 lr0 lr0;
    acc;
    bne           lr1 lr2 step;;
    bkpt;;
"""
SLOT_OF = {"ldr_mult_reg": "xmem", "mult.ve": "mult", "acc": "acc", "incr": "lr", "bne": "cond"}
COLOUR = "element => getComputedStyle(element).color"


def rgb(colour: str) -> str:
    """A colour as the browser writes it."""
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


@pytest.mark.parametrize("theme", ["", "Visual Studio Light", "Visual Studio Dark"])
def test_mnemonics_have_the_colours_of_their_slots(
    vscode: VSCode, vscode_user: VSCodeUser, theme: str
) -> None:
    settings = vscode_user.work / ".vscode" / "settings.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"workbench.colorTheme": theme} if theme else {}), "utf-8")
    vscode.open(vscode_user.kernel(KERNEL).name)
    is_light = not theme.endswith("Dark")  # which the default theme is, too
    numbers = slot_colours(load_isa("ipu"))
    palette = {slot: PALETTE[number] for slot, number in numbers.items()}
    wanted = {
        word: rgb(palette[slot].light if is_light else palette[slot].dark)
        for word, slot in SLOT_OF.items()
    }
    shown = soon(lambda: {word: vscode.word(word).evaluate(COLOUR) for word in wanted}, wanted)
    vscode.screenshot(f"colours{theme.replace(' ', '_')}")
    assert shown == wanted
    vscode.close_file()
    settings.unlink()
