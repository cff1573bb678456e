"""The page of an instruction."""

from __future__ import annotations

import re

import pytest

from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.reports.pages import encoding_lines, instruction_markdown, read_timing

ENCODABLE = [name for name, manifest in manifests().items() if manifest.is_encodable]

IPU = load_isa("ipu")
ALL = [(name, mnemonic) for name in ENCODABLE for mnemonic in load_isa(name).instructions]
RANGE = re.compile(r"(?P<name>[a-z_0-9]+) (?P<high>\d+)(?::(?P<low>\d+))?")


def check_page(isa: Isa, mnemonic: str, *expected: str) -> str:
    """The page of an instruction has these texts, in this order."""
    page = instruction_markdown(isa, isa.instructions[mnemonic])
    position = 0
    for text in expected:
        assert text in page[position:], text
        position = page.index(text, position) + len(text)
    return page


def documented_bits(line: str) -> dict[str, int]:
    """The bits of the word, as a mask, that an encoding line gives to each field."""
    bits = {}
    for match in RANGE.finditer(line.replace("fixed bits", "")):
        high, low = int(match["high"]), int(match["low"] or match["high"])
        bits[match["name"]] = (1 << (high + 1)) - (1 << low)
    return bits


def operand_masks(isa: Isa, spec: InstructionSpec, place: int) -> dict[str, int]:
    """The same out of the layout."""
    low = isa.slot_by_name[spec.slot].lows[place]
    return {
        operand.name: ((1 << operand.type.width) - 1) << (low + operand.low)
        for operand in spec.operands
    }


def test_a_page_has_all_parts_in_their_order() -> None:
    check_page(
        IPU,
        "ldr_mult_reg",
        "```ipu-asm\nldr_mult_reg dest offset base\n```",
        "**Load Register** (slot `xmem`)",
        "Loads 128 bytes",
        "**Operands**",
        "- `dest`, a mult-stage register (`r0`, `r1`, `mem_bypass`): ",
        "(written)",
        "- `offset`, a loop register (`lr0` to `lr15`): ",
        "(read: value as this bundle's earlier slots leave it)",
        "**Operation**",
        "dest = xmem[offset + base : +128]",
        "**Reads and writes**",
        "- reads `offset`, `base`, `xmem`: value as this bundle's earlier slots leave it",
        "- writes `dest`",
        "**Encoding**",
        "- `opcode 156:154 = 1 | dest 153:152 | offset 151:148 | base 143:140`",
        "**Example**",
        "```ipu-asm\nset lr0 0x1000;\nldr_mult_reg r0 lr0 cr0;;\n```",
    )


def test_a_slot_with_two_places_shows_both() -> None:
    check_page(
        IPU,
        "set",
        "(slot `lr`, 2 a bundle)",
        "- as first: `opcode 84:83 = 1 | reg 82:79 | value 68:53`",
        "- as second: `opcode 52:51 = 1 | reg 50:47 | value 36:21`",
    )


def test_old_and_new_values_are_told_apart() -> None:
    check_page(
        IPU,
        "agg",
        "- reads `aaq_rf_idx`: value from before this bundle",
        "- reads `cr_idx`, `r_acc`: value as this bundle's earlier slots leave it",
        "- writes `aaq_rf_idx`",
    )
    check_page(
        IPU, "bne", "- reads `reg1`, `reg2`: value from before", "- writes the program counter"
    )


def test_keywords_are_explained_one_by_one() -> None:
    check_page(
        IPU,
        "acc.stride",
        "- `vertical_stride`, vertical stride: ",
        "    - `off`: every row",
        "    - `on_inv`: rows 1, 3, 5, ...",
        "elements_in_row 106:105 | horizontal_stride 104:102 | vertical_stride 101:100",
    )


def test_a_deprecated_instruction_says_what_to_use() -> None:
    check_page(IPU, "mult.ev", "**Deprecated:** ", "use `mult.ve`", "Multiplies")
    assert "**Deprecated:**" not in check_page(IPU, "mult.ve")


def test_parts_without_content_are_left_out() -> None:
    page = check_page(IPU, "acc_nop", "```ipu-asm\nacc_nop\n```", "**Encoding**")
    assert "**Operands**" not in page
    assert "**Reads and writes**" not in page


@pytest.mark.parametrize(("name", "mnemonic"), ALL)
def test_every_page_is_well_formed(name: str, mnemonic: str) -> None:
    isa = load_isa(name)
    page = check_page(isa, mnemonic, f"**{isa.instructions[mnemonic].doc.title}**")
    assert page.count("```") % 2 == 0
    assert "\n\n\n" not in page
    assert page == page.strip()
    assert "None" not in page


@pytest.mark.parametrize(("name", "mnemonic"), ALL)
def test_the_bits_shown_are_those_of_the_layout(name: str, mnemonic: str) -> None:
    isa = load_isa(name)
    spec = isa.instructions[mnemonic]
    for place, line in enumerate(encoding_lines(isa, spec)):
        shown = documented_bits(line)
        shown.pop("opcode", None)
        assert shown == operand_masks(isa, spec, place)


def test_times_cover_operands_and_state() -> None:
    assert read_timing(IPU.instructions["acc.max"]) == {
        "aaq_rf_idx": "snapshot",
        "mult_res": "live",
        "r_acc": "snapshot",
    }


def test_where_one_instruction_runs_at_a_time_nothing_is_said_of_times() -> None:
    page = check_page(
        load_isa("edgenpu"),
        "LOAD",
        "`flags` (optional, `0` without it)",
        "- reads `ddr`\n- writes `dst`",
        "- `opcode 63:60 = 5 | flags 59:56 | dst 55:48 | ddr_addr 47:32 | length 23:0`",
    )
    assert "bundle" not in page


def test_a_form_has_its_timing_and_the_other_forms_instead_of_bits() -> None:
    page = check_page(
        load_isa("xdna1"),
        "vlda",
        "(slot `lda`)",
        "(written)",
        "**Timing**\n\n- `dst` lands 7 bundles later",
        "**Other forms**",
        "- `vlda dst:w, [ptr], #offset` (slot `lda`)",
    )
    assert "Encoding" not in page
    check_page(
        load_isa("xdna1"),
        "jl",
        "- writes `lr`",
        "- `lr` lands 4 bundles later",
        "- 5 bundles after it are executed before it takes effect",
    )
