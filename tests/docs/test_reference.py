"""The instruction reference: complete, true to the instruction set, and as committed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ipu_asm.cli.assembler.command import main
from ipu_asm.isa import available_isas, load_isa, manifests
from ipu_asm.reports.reference import reference_files

ENCODABLE = [name for name, manifest in manifests().items() if manifest.is_encodable]

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"
EVERY_ISA = pytest.mark.parametrize("name", available_isas())
EVERY_ISA_ENCODABLE = pytest.mark.parametrize("name", ENCODABLE)
EVERY_ISA_OF_FORMS = pytest.mark.parametrize("name", sorted({*available_isas()} - {*ENCODABLE}))


def check_files(name: str) -> dict[str, str]:
    """The texts of a reference, by format."""
    return {kind: text for kind, (_, text) in reference_files(load_isa(name)).items()}


@EVERY_ISA
def test_the_committed_reference_is_what_the_instruction_set_gives(name: str) -> None:
    """If this fails, run `ipu-as docs --isa NAME -o docs/reference`."""
    for file_name, text in reference_files(load_isa(name)).values():
        assert (FOLDER / file_name).read_text(encoding="utf-8") == text, file_name


def test_the_sets_with_words_are_listed() -> None:
    assert [name for name in available_isas() if load_isa(name).has_words] == list(ENCODABLE)


@EVERY_ISA_ENCODABLE
def test_every_instruction_has_all_its_parts(name: str) -> None:
    page = check_files(name)["md"]
    for spec in load_isa(name).instructions.values():
        is_alone = len({form.slot for form in load_isa(name).forms(spec)}) == 1
        where = "" if is_alone else f" in `{spec.slot}`"
        _, _, section = page.partition(f"\n### `{spec.mnemonic}`{where}\n")
        section = re.split(r"\n##+ ", section)[0]
        for part in (spec.doc.title, spec.doc.summary, spec.syntax, spec.doc.example, "Encoding"):
            assert part in section, (spec.mnemonic, part)
        for operand in spec.operands:
            assert operand.name in section
            assert operand.description in section


@EVERY_ISA_OF_FORMS
def test_every_form_has_its_line_in_each_of_its_slots(name: str) -> None:
    isa = load_isa(name)
    sections = dict(re.findall(r"\n### (.*?)\n(.*?)(?=\n##+ |\Z)", check_files(name)["md"], re.S))
    for mnemonic, first in isa.instructions.items():
        forms = isa.forms(first)
        slots = {form.slot for form in forms}
        for form in forms:
            where = f" in `{form.slot}`" if len(slots) > 1 else ""
            section = sections[f"`{mnemonic}`{where}"]
            assert form.syntax in section
            assert f"(slot `{form.slot}`)" in section
    assert "Encoding" not in check_files(name)["md"]


@EVERY_ISA
def test_no_row_of_a_table_stands_there_twice(name: str) -> None:
    rows = re.findall(r"^\| .* \|$", check_files(name)["md"], re.M)
    assert len(rows) > 8
    assert len(rows) == len(set(rows))


def test_the_reference_tells_when_a_value_is_read() -> None:
    page = check_files("ipu")["md"]
    section = page.partition("### `str_acc_reg`")[2].partition("### ")[0]
    assert "`r_acc`: value from before this bundle" in section
    assert "`offset`, `base`: value as this bundle's earlier slots leave it" in section


@EVERY_ISA
def test_every_link_within_the_page_leads_to_a_heading(name: str) -> None:
    page = check_files(name)["html"]
    links = set(re.findall(r'href="#([^"]+)"', page))
    isa = load_isa(name)
    instructions = set(re.findall(r'<h3 id="([^"]+)"', page))
    assert len(instructions) == sum(len(isa.instructions_of(slot.name)) for slot in isa.slots)
    assert instructions <= links
    assert links <= set(re.findall(r'id="([^"]+)"', page))
    assert len(links - instructions) == (0 if isa.has_words else len(isa.slots))


@EVERY_ISA_ENCODABLE
def test_the_page_has_its_picture_in_it(name: str) -> None:
    assert "<svg" in check_files(name)["html"]


@EVERY_ISA
def test_the_page_needs_no_other_file(name: str) -> None:
    page = check_files(name)["html"]
    assert not re.search(r'(?:src|href)="(?!#)', page)


@EVERY_ISA_OF_FORMS
def test_without_words_there_is_no_picture(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert set(check_files(name)) == {"md", "html"}
    assert main(["docs", "--format", "svg", "--isa", name]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["docs", "--format", "md", "--isa", name, "-o", str(tmp_path)]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.md"]


@EVERY_ISA_ENCODABLE
def test_the_picture_has_a_box_for_every_field(name: str) -> None:
    isa = load_isa(name)
    picture = ElementTree.fromstring(check_files(name)["svg"])
    titles = [title.text or "" for title in picture.iter("{http://www.w3.org/2000/svg}title")]
    bits = [0] * isa.word_bits
    for place in {re.findall(r"\[(\d+)(?::(\d+))?\]", title)[0] for title in titles}:
        high, low = int(place[0]), int(place[1] or place[0])
        for bit in range(low, high + 1):
            bits[bit] += 1
    assert bits == [1] * isa.word_bits


def test_without_a_folder_the_chosen_format_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["docs", "--format", "svg", "--isa", "edgenpu"]) == 0
    assert capsys.readouterr().out == check_files("edgenpu")["svg"]


def test_markdown_in_a_folder_brings_its_picture(tmp_path: Path) -> None:
    assert main(["docs", "--format", "md", "-o", str(tmp_path / "new" / "folder")]) == 0
    assert sorted(p.name for p in (tmp_path / "new" / "folder").iterdir()) == ["ipu.md", "ipu.svg"]


def test_a_folder_that_cannot_be_made_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["docs", "-o", str(tmp_path / "file" / "folder")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
