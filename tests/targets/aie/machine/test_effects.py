"""The effect of every form, against a table of all forms that was made from the sources."""

import gzip
import importlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.build import alternatives
from ipu_asm.isa.model import InstructionSpec
from ipu_asm.targets.aie import forms
from ipu_asm.targets.aie.machine.machine import EFFECTS
from ipu_asm.targets.aie.machine.semantics import SemanticsTable, read_rules
from ipu_asm.targets.aie.registers import classes_of, registers_of

DATA = Path(__file__).parents[3] / "data"
ISAS = [name for name, manifest in manifests().items() if manifest.runs_machine_code]
# Arguments that the table has and mnemonics state; the others are found from operands.
STATED = ("fn", "bits", "when", "kind", "times", "acc", "lane", "end", "to")


@lru_cache(maxsize=1)
def known_forms() -> dict[tuple[str, str, str], dict[str, Any]]:
    with gzip.open(DATA / "xdna_effects.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {(row["isa"], row["slot"], plain(row["form"])): row for row in rows}


def plain(form: str) -> str:
    """A form without cycles, and what was corrected in it later: ranges, and possible registers."""
    form = re.sub(r"(@\d*)?(=\d*)?(~\w+)?\}", "}", form)
    form = re.sub(r"\{(index|tlast):R(S4)?\}|\{r(28|29)\}", "{register}", form)
    form = re.sub(r":Shfl(BM|X)\b", r":\1", form.replace("RS8", "RS16"))
    return re.sub(r"#[-\d./]*", "#", form)


def written_forms(isa: str) -> Iterator[tuple[str, str, InstructionSpec]]:
    """Every form with its slot and its line."""
    description = importlib.import_module(f"ipu_asm.targets.{isa}.description")
    classes = classes_of(
        registers_of(description.FAMILIES), description.CLASSES, description.PAIR_NAMES
    )
    reader = forms._Reader(classes)
    spec = next(iter(load_isa(isa).instructions.values()))
    for slot, lines in description.FORMS.items():
        for line in lines:
            for form in alternatives(forms._ADDRESSES.sub(forms._addresses, line)):
                mnemonic, _, rest = form.partition(" ")
                pieces = [piece.strip() for piece in forms._PIECES.findall(rest)]
                operands = tuple(reader.operand(piece)[0] for piece in pieces)
                yield slot, form, spec._replace(mnemonic=mnemonic, operands=operands)


def table_of(isa: str) -> SemanticsTable:
    folder = Path(importlib.import_module(f"ipu_asm.targets.{isa}").__file__ or "").parent
    return SemanticsTable(read_rules(folder / "machine"))


@pytest.mark.parametrize("isa", ISAS)
def test_every_form_has_the_effect_and_the_open_question_of_the_table(isa: str) -> None:
    table, seen = table_of(isa), 0
    for slot, form, spec in written_forms(isa):
        expected = known_forms()[isa, slot, plain(form)]
        found = table.of(spec)
        assert found is not None, form
        wanted = expected["effect"], expected["status"], expected.get("open", "")
        assert (found.effect, found.status, found.open) == wanted, form
        for name in STATED:
            if name in found.arguments and name in expected["args"]:
                assert found.arguments[name] == str(expected["args"][name]).removesuffix(".f")
        seen += 1
    assert seen > 600


@pytest.mark.parametrize("isa", ISAS)
def test_an_exact_effect_has_a_function(isa: str) -> None:
    table = table_of(isa)
    for _, form, spec in written_forms(isa):
        found = table.of(spec)
        assert found is not None
        if found.status.startswith("exact"):
            assert found.effect in EFFECTS, form
