"""The colours of slots: told apart, legible, and the same wherever a slot is shown."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from itertools import combinations

import pytest

from ipu_asm.isa import load_isa, manifests
from ipu_asm.reports.reference import PALETTE, slot_colours
from ipu_asm.reports.vscode import EXTENSION

WHITE, DARK = "#ffffff", "#1f1f1f"
LEAST_CONTRAST = 4.5
CUSTOMIZATIONS = "editor.semanticTokenColorCustomizations"


def luminance(colour: str) -> float:
    """The relative luminance of a colour, as accessibility guidelines define it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", manifests())
def test_no_two_slots_of_a_set_have_the_same_colour(name: str) -> None:
    colours = slot_colours(load_isa(name))
    assert len({*colours.values()}) == len(colours) == len(load_isa(name).working_slots)


def test_a_slot_has_the_same_colour_in_all_sets_of_its_language() -> None:
    for one, other in combinations(manifests(), 2):
        if manifests()[one].language_id == manifests()[other].language_id:
            first, second = slot_colours(load_isa(one)), slot_colours(load_isa(other))
            assert {s: first[s] for s in first.keys() & second} == {
                s: second[s] for s in first.keys() & second
            }


def test_every_colour_is_legible_in_light_and_dark() -> None:
    for colour in PALETTE:
        assert contrast(colour.light, WHITE) >= LEAST_CONTRAST
        assert contrast(colour.dark, DARK) >= LEAST_CONTRAST
        assert contrast(colour.box, "#000000") >= LEAST_CONTRAST


@pytest.mark.parametrize(
    ("theme", "paper"),
    [
        ("Default High Contrast", "#000000"),
        ("Default High Contrast Light", "#ffffff"),
        ("Monokai", "#272822"),
        ("Solarized Dark", "#002b36"),
        ("Solarized Light", "#fdf6e3"),
        ("Quiet Light", "#f5f5f5"),
        ("Tomorrow Night Blue", "#002451"),
        ("Red", None),
    ],
)
def test_slots_have_legible_colours_in_every_theme_that_says_if_it_is_dark(
    theme: str, paper: str | None
) -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))["contributes"]
    rules = [
        colours["rules"]
        for patterns, colours in package["configurationDefaults"][CUSTOMIZATIONS].items()
        if any(fnmatchcase(theme, pattern) for pattern in patterns[1:-1].split("]["))
    ]
    assert len(rules) == (paper is not None)
    assert all(contrast(each, paper or "") >= 4 for each in (rules[0].values() if rules else ()))
    scopes = package["semanticTokenScopes"]
    ours = next(each["scopes"] for each in scopes if each["language"] == "ipu-asm")
    slots = [scope for (kind, (scope,)) in ours.items() if kind.startswith("function.")]
    assert len(set(slots)) >= 8
