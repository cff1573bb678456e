"""Bundles taken apart: those that fit, and what is left of those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.syntax.bundle import BundleSyntax
from ipu_asm.syntax.grammar import Tree, load_grammar
from ipu_asm.syntax.plan import MAX_TOKENS
from tests.syntax.test_grammar import slices


def check_plan(text: str, parts: str, *findings: str, grammar: str = "ipu") -> None:
    """The parts that a bundle is read as, and the tokens that do not fit, each with its reason.

    Parts are written ``label: mnemonic operand | mnemonic``; an instruction whose operands may not
    be all it was meant to have ends in ``..``.
    """
    syntax = BundleSyntax(load_grammar(grammar), text)
    label = [] if syntax.label is None else [f"{syntax.label}:"]
    instructions = [
        " ".join(syntax.instruction_words(number)) + " .." * plan.has_errors
        for number, plan in enumerate(syntax.plan.instructions)
    ]
    assert " ".join([*label, " | ".join(instructions)]).strip() == parts
    found = [f"{finding.reason} {syntax.words[finding.token]}" for finding in syntax.plan.findings]
    assert found == list(findings)


TEXTS = st.lists(
    st.sampled_from(["a", "b1", "5", ":", ";", ";;", " ", "\n", "@", "#", ",", "|", "[", "]", "="]),
    max_size=25,
).map("".join)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("acc;;", "acc"),
        ("acc", "acc"),
        ("acc;", "acc"),
        ("acc;\n;;", "acc"),
        ("acc; # why\n;;", "acc"),
        ("incr lr0 1; acc ;;", "incr lr0 1 | acc"),
        ("loop: acc;;", "loop: acc"),
        ("loop\r\n\t// the loop\n  : acc;;", "loop: acc"),
        ("5: b 5;;", "5: b 5"),
        ("acc: acc;;", "acc: acc"),
        ("incr lr0+1;;", "incr lr0 +1"),
        ("  # nothing", ""),
        ("", ""),
    ],
)
def test_a_bundle_that_fits_is_its_parts(text: str, parts: str) -> None:
    check_plan(text, parts)


@pytest.mark.parametrize(
    ("text", "parts", "findings"),
    [
        # Nothing between separators has a finding where it ends.
        (";;", "", ["empty-bundle ;;"]),
        (";", "", ["empty-bundle ;"]),
        ("; acc;;", "acc", ["empty-bundle ;"]),
        ("acc; ; aaq;;", "acc | aaq", ["empty-instruction ;"]),
        ("acc; ; ; aaq;;", "acc | aaq", ["empty-instruction ;", "empty-instruction ;"]),
        # A label is there once, before the first instruction.
        ("end:", "end:", ["label-without-bundle end"]),
        ("end: ;;", "end:", ["label-without-bundle end"]),
        ("a: b:", "a:", ["label-without-bundle a", "second-label b"]),
        ("a: b: acc;;", "a: acc", ["second-label b"]),
        ("a: b: c: acc;;", "a: acc", ["second-label b", "second-label c"]),
        ("acc; b: aaq;;", "b: acc | aaq", ["label-inside b"]),
        ("a: acc; b: aaq;;", "a: acc | aaq", ["label-inside b"]),
        ("acc b: aaq;;", "b: acc .. | aaq ..", ["label-inside b"]),
        ("incr lr0 1\nb: aaq;;", "b: incr lr0 1 .. | aaq ..", ["label-inside b"]),
        ("acc\nb: c: aaq;;", "b: acc .. | aaq ..", ["label-inside b", "label-inside c"]),
        # A token that does not fit spoils its instruction only.
        ("@;;", "", ["stray @"]),
        ("@ acc;;", "acc ..", ["stray @"]),
        ("incr lr0, 1;;", "incr lr0 1 ..", ["stray ,"]),
        ("incr lr0@ 1; acc;;", "incr lr0 1 .. | acc", ["stray @"]),
        ("incr lr0 +; acc;;", "incr lr0 .. | acc", ["stray +"]),
        ("a:@ acc;;", "a: acc ..", ["stray @"]),
        (": acc;;", "", ["unexpected :"]),
        ("a : : acc; b +1;;", "a: b +1", ["unexpected :"]),
        ("@ ; & ; acc;;", "acc", ["stray @", "stray &"]),
    ],
)
def test_a_mistake_spoils_one_instruction(text: str, parts: str, findings: list[str]) -> None:
    check_plan(text, parts, *findings)


def test_a_bundle_without_an_end_is_read_for_a_while() -> None:
    check_plan("a " * (MAX_TOKENS - 1) + ";;", "a " * (MAX_TOKENS - 2) + "a")
    check_plan("a " * MAX_TOKENS + ";;", "", "endless ;;")
    check_plan("acc;" * MAX_TOKENS, " | ".join(["acc"] * (MAX_TOKENS // 2 - 1)), "endless acc")


def test_a_bundle_full_of_mistakes_reports_its_first_hundred() -> None:
    check_plan("@ a " * 150, " ".join(["a"] * 150) + " ..", *["stray @"] * 100)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("CONV AB[1], AB[0]\n", "CONV AB[1] AB[0]"),
        ("s: SYNC A | B ; x\n", "s: SYNC A|B"),
        ("s:\n", "s:"),
        ("\n", ""),
    ],
)
def test_a_line_of_another_surface_is_its_parts(text: str, parts: str) -> None:
    check_plan(text, parts, grammar="edgenpu")


@given(TEXTS)
def test_a_bundle_has_findings_exactly_where_the_grammar_refuses_it(text: str) -> None:
    for name in ("ipu", "edgenpu"):
        grammar = load_grammar(name)
        for part in slices(name, text):
            syntax = BundleSyntax(grammar, part)
            tree = grammar.parse(grammar.shape(syntax.words), "bundle")
            fits = isinstance(tree, Tree) or not syntax.words
            assert fits == (not syntax.plan.findings)
            if isinstance(tree, Tree):
                kinds = ("label", "mnemonic", "operand")
                rules: dict[str, list[tuple[int, int]]] = {kind: [] for kind in kinds}
                _collect(tree, rules)
                plans = syntax.plan.instructions
                assert rules["label"] == [(syntax.plan.label, syntax.plan.label + 2)] * (
                    syntax.plan.label >= 0
                )
                assert rules["mnemonic"] == [(p.mnemonic, p.mnemonic + 1) for p in plans]
                assert rules["operand"] == [operand for p in plans for operand in p.operands]
                assert not any(p.has_errors for p in plans)


def _collect(node: Tree, rules: dict[str, list[tuple[int, int]]]) -> None:
    """The token ranges of the nodes of some rules, in their order."""
    if node.rule in rules:
        rules[node.rule].append((_tokens(node)[0], _tokens(node)[-1] + 1))
    for child in node.children:
        if isinstance(child, Tree):
            _collect(child, rules)


def _tokens(node: Tree) -> list[int]:
    parts = [_tokens(child) if isinstance(child, Tree) else [child] for child in node.children]
    return [token for part in parts for token in part]


@given(TEXTS)
def test_the_parts_of_any_bundle_are_tokens_in_their_order(text: str) -> None:
    for name in ("ipu", "edgenpu"):
        grammar = load_grammar(name)
        for part in slices(name, text):
            syntax = BundleSyntax(grammar, part)
            plan, count = syntax.plan, len(syntax.words)
            assert -1 <= plan.label < max(count, 1)
            assert all(0 <= finding.token < count for finding in plan.findings)
            last = 0
            for instruction in plan.instructions:
                assert last <= instruction.mnemonic < instruction.end <= count
                last = instruction.mnemonic + 1
                for first, end in instruction.operands:
                    assert last <= first < end <= instruction.end
                    last = end
                assert last <= instruction.end
