"""The snippets of completion: expanded, they are programs without findings."""

from __future__ import annotations

import re
import textwrap

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import IpuState, run_until_complete
from ipu_asm.ide.completion import SNIPPET, Snippet, snippets_of
from ipu_asm.ide.completion.completion import completions
from ipu_asm.ide.formatting.alignment import INDENT
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rules import all_rules
from ipu_asm.text import apply_edits

SETS = [load_isa(name) for name in available_isas()]
# What has the finding that the snippets offer to silence first.
SILENCED = {
    "ipu2": "    BREAK;;\n",
    "ipu-asm": "    set lr0 40000;\n",
    "edgenpu-asm": "    ADD AB[2], AB[0], AB[1]\n    SYNC WAIT_COMPUTE\n",
    "aie-asm": "    nopa;\n    nopb\n",
    "colossus-asm": "    setzi $m0, 0x100; ld32 $m1, $m0, $mzero, 0\n",
}
_CHOICE = re.compile(r"\$\{(\d+)\|((?:[^|\\]|\\.)*)\|\}")
_PLACEHOLDER = re.compile(r"\$\{(\d+|TM_\w+):((?:[^}$\\]|\\.)*)\}")
_MIRROR = re.compile(r"(?<!\\)\$(?:(\d+)|\{(\d+)\})")
LOADS = (
    "set lr3 126; ldr_cyclic_mult_reg lr0 cr0 lr0;;\nldr_mult_reg r0 lr0 cr0;;\n"
    "ldr_mult_reg r1 lr0 cr0;;\nldr_mult_reg mem_bypass lr0 cr1;;\n"
)


EVERY_SNIPPET = pytest.mark.parametrize(
    ("isa", "snippet"),
    [
        pytest.param(isa, snippet, id=f"{isa.name}: {snippet.words[0]}")
        for isa in SETS
        for snippet in snippets_of(isa)
    ],
)


def expanded(snippet: Snippet) -> str:
    """The text that the snippet inserts if one accepts what it offers first."""
    text = snippet.body
    texts: dict[str, str] = {"0": ""}

    def first_choice(match: re.Match[str]) -> str:
        return f"${{{match[1]}:{choices(match[2])[0]}}}"

    def default(match: re.Match[str]) -> str:
        texts.setdefault(match[1], match[2])
        return texts[match[1]]

    text = _PLACEHOLDER.sub(default, _CHOICE.sub(first_choice, text))
    text = _MIRROR.sub(lambda match: texts[match[1] or match[2]], text)
    return re.sub(r"\\([$}\\])", r"\1", text)


def inserted(isa: Isa, snippet: Snippet) -> str:
    """The text as it comes to stand: what has no indentation of its own gets that of the place."""
    text = expanded(snippet)
    own = any(line.startswith((" ", *isa.surface.comments)) for line in text.split("\n"))
    return text if own else textwrap.indent(text, INDENT)


def choices(text: str) -> list[str]:
    """The texts of which a placeholder offers a choice."""
    return [re.sub(r"\\(.)", r"\1", choice) for choice in re.split(r"(?<!\\),", text)]


def check_snippet(isa: Isa, snippet: Snippet) -> Analysis:
    """The analysis of a small program with the snippet, which must have no finding."""
    analysis = analyze(_program(isa, expanded(snippet)), isa)
    assert analysis.diagnostics == (), analysis.text
    return analysis


def _program(isa: Isa, text: str) -> str:
    """A program around what a snippet inserts: what is silenced, and an end, if it has none."""
    text = text.rstrip("\n") + "\n"
    if "ipu: ignore" in text:
        text += SILENCED.get(isa.name) or SILENCED[isa.surface.language_id]
    # What halts is asked of the set; where nothing does, a program ends with its last line.
    specs = isa.instructions.values()
    halts = [spec.mnemonic for spec in specs if spec.flow == "halt" and not spec.operands]
    if halts and halts[0] not in text:
        text += f"    {halts[0]}{isa.surface.bundle_end}\n"
        # What a part of a kernel multiplies, and its last element, are set before it.
        text = (LOADS if "mult." in text else "") + text
    return text


@EVERY_SNIPPET
def test_a_snippet_is_a_program_without_findings(isa: Isa, snippet: Snippet) -> None:
    analysis = check_snippet(isa, snippet)
    lines = filter(None, expanded(snippet).split("\n"))
    is_comment = all(line.startswith(isa.surface.comments) for line in lines)
    assert is_comment or analysis.program.size > 0


@EVERY_SNIPPET
def test_every_choice_of_a_snippet_can_be_taken(isa: Isa, snippet: Snippet) -> None:
    body = snippet.body
    rules = {rule.id.name for rule in all_rules()}
    for choice in _CHOICE.finditer(body):
        for text in choices(choice[2]):
            if "ipu: ignore" in body:
                assert text in rules
            elif "isa:" in body:
                assert text in available_isas()
            else:
                taken = body.replace(choice[0], f"${{{choice[1]}:{text}}}")
                check_snippet(isa, snippet._replace(body=taken))


@EVERY_SNIPPET
def test_the_formatter_leaves_a_snippet_as_it_is(isa: Isa, snippet: Snippet) -> None:
    text = inserted(isa, snippet).rstrip() + "\n"
    assert apply_edits(text, formatting(analyze(text, isa))) == text


@EVERY_SNIPPET
def test_a_snippet_tells_what_it_is_for(isa: Isa, snippet: Snippet) -> None:
    assert snippet.words
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", word) for word in snippet.words)
    assert re.fullmatch(r"[A-Z`].*[^.\n]", snippet.description)
    assert all(len(line) <= 160 for line in snippet.body.split("\n"))


@EVERY_SNIPPET
def test_the_stops_of_a_snippet_are_numbered_without_a_gap(isa: Isa, snippet: Snippet) -> None:
    body = snippet.body
    numbers = {int(number) for number in re.findall(r"\$\{?(\d+)", body)} - {0}
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    ("name", "cycles"),
    [("loop", 1 + 10 + 1), ("nested", 1 + 10 * (1 + 128 + 1) + 1)],
)
def test_a_loop_makes_the_turns_that_its_comments_say(name: str, cycles: int) -> None:
    isa = load_isa("ipu")
    snippet = next(each for each in snippets_of(isa) if name in each.words)
    state = IpuState()
    state.load_program(assemble(_program(isa, expanded(snippet))))
    assert run_until_complete(state) == cycles


@pytest.mark.parametrize("isa", SETS)
def test_snippets_are_offered_where_a_bundle_may_begin(isa: Isa) -> None:
    """On an empty line, not after an instruction on the same line, and not in a comment."""

    def offered(before: str) -> set[str]:
        found = completions(analyze(before, isa), len(before))
        return {item.label for item in found if item.kind == SNIPPET}

    words = {word for snippet in snippets_of(isa) for word in snippet.words}
    nop = next(n for n, s in isa.instructions.items() if all(o.optional for o in s.operands))
    assert offered("") == offered("  lo") == words
    assert offered(f"x: {nop}{isa.surface.bundle_end}\n  ") == words
    assert not any(offered(f"{start} ") for start in (*isa.surface.comments, nop, "x:"))
    if isa.surface.bundle_end:
        assert not offered(f"{nop};\n")
