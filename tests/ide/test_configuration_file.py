"""Keys, tables and values of `ipu.toml`, as editors complete and describe them."""

from __future__ import annotations

from typing import Iterator

import pytest

from ipu_asm.config.schema import Table
from ipu_asm.config.toml_settings import schema
from ipu_asm.ide.configuration_file import ANY, NOTES, key_completions, key_hover
from ipu_asm.text import TextEdit, apply_edits
from tests.ide.cursor import CURSOR


@pytest.mark.parametrize(
    ("text", "label", "result"),
    [
        ("is$0", "isa", "isa = "),
        ("$0", "lint", "lint"),
        ('isa = "ip$0"', '"ipu2"', 'isa = "ipu2"'),
        ("isa = $0", '"ipu"', 'isa = "ipu"'),
        ("[$0", "kernel", "[kernel"),
        ("[format]\nmn$0 = 3", "mnemonic-case", "[format]\nmnemonic-case =  = 3"),
        ('[kernel."a.s"]\n$0', "contexts", '[kernel."a.s"]\ncontexts = '),
        ('[kernel."a.s".$0', "run", '[kernel."a.s".run'),
        ('[kernel."a.s".run]\ndtype = $0', '"int8"', '[kernel."a.s".run]\ndtype = "int8"'),
        ('[isa-by-glob]\n"*.s" = $0', '"xdna1"', '[isa-by-glob]\n"*.s" = "xdna1"'),
        ("respect-gitignore = $0", "false", "respect-gitignore = false"),
        ('lint.fail-level = "$0', '"hint"', 'lint.fail-level = "hint"'),
        ("# is$0", None, None),
        ("[format]\n$0", "isa", None),
        ("isa = 1\n[defines]\nA = $0", None, None),
        ("[[$0", None, None),
        ("= $0", None, None),
    ],
)
def test_what_fits_is_completed(text: str, label: str | None, result: str | None) -> None:
    before, after = text.split(CURSOR)
    found = {item.label: item for item in key_completions(before + after, len(before))}
    if result is None or label is None:
        assert label not in found if label else not found
        return
    edit = TextEdit(found[label].span, found[label].insert_text)
    assert apply_edits(before + after, [edit]) == result


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('is$0a = "ipu"', "The instruction set of all files below this folder"),
        ('[kernel."a.s".ru$0n]', "What a kernel is run with"),
        ('[kernel."a.s".run]\ndty$0pe = "int8"', '`"fp8_e4m3"`'),
        ('[lint]\nfail-level$0 = "hint"', 'One of `"error"`, `"warning"`, `"hint"`.'),
        ('[kernel."a.$0s".run]', None),
        ("frob$0 = 3", None),
        ("isa = 1$0", None),
        ("$0", None),
    ],
)
def test_a_key_tells_what_it_is_for(text: str, words: str | None) -> None:
    before, after = text.split(CURSOR)
    found = key_hover(before + after, len(before))
    assert (found is None) == (words is None)
    assert found is None or (words or "") in found[0]


def test_every_key_of_the_schema_has_a_note() -> None:
    def names(table: Table, path: tuple[str, ...]) -> Iterator[str]:
        for name, field in {**table.fields, **({ANY: table.each} if table.each else {})}.items():
            if name != ANY:
                yield ".".join((*path, name))
            if isinstance(field, Table):
                yield from names(field, (*path, name))

    known = {*names(schema(), ())}
    assert NOTES.keys() <= known
    *options, memory = sorted(known - NOTES.keys())
    assert memory == "memory.colossus"
    run = "[kernel.a.run]\n"
    for name in options:
        found = key_hover(f"{run}{name.removeprefix('kernel.*.run.')} = 1", len(run))
        assert found is not None
        assert "\n\n" in found[0]
