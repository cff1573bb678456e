"""Definitions and uses of macro names."""

from __future__ import annotations

from ipu_asm.source.expansion import Expansion, NameKind
from ipu_asm.source.source_map import MAIN
from tests.source.preprocessor.expanding import FOLDER, expanded

HEADER = "#define BASE m4 // where it begins\n/* The step. */\n#define STEP(x) (x * SIZE)\n"
TEXT = """#include "a.h"
#define SIZE 4
#ifdef BASE
add $BASE, $m1, STEP(SIZE) // BASE
#endif
#undef BASE
"""


def used(expansion: Expansion, name: str) -> list[tuple[str, int]]:
    """The files and lines of the uses of a name, from 0."""
    texts = {MAIN: TEXT} | {path: file.text for path, file in expansion.files.items()}
    return sorted(
        (path, texts[path].count("\n", 0, span.start))
        for each, (path, span), _ in expansion.uses
        if each == name
    )


def test_a_definition_has_its_value_parameters_and_remark() -> None:
    expansion = expanded(TEXT, {"a.h": HEADER})
    base, step, size = expansion.definitions
    assert (base.name, base.kind, base.value, base.parameters) == (
        "BASE",
        NameKind.DEFINE,
        "m4",
        None,
    )
    assert (base.remark, step.remark, size.remark) == ("where it begins", "The step.", "")
    assert (step.value, step.parameters) == ("(x * SIZE)", ("x",))
    assert (base.place.path, size.place.path) == (f"{FOLDER}/a.h", MAIN)
    assert TEXT[slice(*size.place.span)] == "SIZE"
    assert TEXT[slice(*size.full.span)] == "#define SIZE 4"


def test_uses_are_those_in_text_conditions_and_other_definitions() -> None:
    expansion = expanded(TEXT, {"a.h": HEADER})
    assert used(expansion, "BASE") == [(MAIN, 2), (MAIN, 3), (MAIN, 5)]
    assert used(expansion, "STEP") == [(MAIN, 3)]
    assert used(expansion, "SIZE") == [(MAIN, 3), (f"{FOLDER}/a.h", 2)]
    assert all(use.definition for use in expansion.uses)


def test_a_use_means_the_definition_that_is_in_force() -> None:
    expansion = expanded("#define A 1\nA\n#undef A\n#define A 2\nA\n")
    found = {span.start: use.value for _, (_, span), use in expansion.uses if use is not None}
    assert found == {12: "1", 21: "1", 35: "2"}


def test_the_name_of_a_guard_is_used_before_it_is_defined() -> None:
    expansion = expanded("#ifndef A_H\n#define A_H\n#endif\n")
    assert [(use.name, use.definition is not None) for use in expansion.uses] == [("A_H", True)]
