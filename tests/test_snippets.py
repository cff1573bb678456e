"""The snippets of the VS Code extension: expanded, they are programs without findings."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any, Iterator

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.emulator import IpuState, run_until_complete
from ipu_asm.ide.formatting.conventions import INDENT
from ipu_asm.ide.formatting.formatting import formatting
from ipu_asm.isa import available_isas, load_isa
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rules import all_rules
from ipu_asm.text import apply_edits

FOLDER = Path(__file__).resolve().parents[1] / "vscode-extension" / "snippets"
SETS = [load_isa(name) for name in available_isas()]
TITLES = tuple(f"{isa.title}: " for isa in SETS)
LANGUAGES = sorted({isa.surface.language_id for isa in SETS})
# What has the finding that the snippets offer to silence first.
SILENCED = {
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


def snippets() -> Iterator[Any]:
    """Every snippet with each instruction set of its language.

    Those of a set whose title begins the names of some are these alone.
    """
    for path in sorted(FOLDER.glob("*.json")):
        entries = json.loads(path.read_text(encoding="utf-8"))
        for isa in SETS:
            if isa.surface.language_id == path.stem:
                own = [name for name in entries if name.startswith(f"{isa.title}: ")]
                for name in own or [name for name in entries if not name.startswith(TITLES)]:
                    yield pytest.param(isa, entries[name], id=f"{isa.name}: {name}")


EVERY_SNIPPET = pytest.mark.parametrize(("isa", "snippet"), list(snippets()))


def expanded(snippet: dict[str, Any]) -> str:
    """The text that the snippet inserts if one accepts what it offers first."""
    text = "\n".join(snippet["body"])
    texts: dict[str, str] = {"0": ""}

    def first_choice(match: re.Match[str]) -> str:
        return f"${{{match[1]}:{choices(match[2])[0]}}}"

    def default(match: re.Match[str]) -> str:
        texts.setdefault(match[1], match[2])
        return texts[match[1]]

    text = _PLACEHOLDER.sub(default, _CHOICE.sub(first_choice, text))
    text = _MIRROR.sub(lambda match: texts[match[1] or match[2]], text)
    return re.sub(r"\\([$}\\])", r"\1", text)


def inserted(isa: Isa, snippet: dict[str, Any]) -> str:
    """The text as it comes to stand: what has no indentation of its own gets that of the place."""
    text = expanded(snippet)
    own = any(line.startswith((" ", *isa.surface.comments)) for line in text.split("\n"))
    return text if own else textwrap.indent(text, INDENT)


def choices(text: str) -> list[str]:
    """The texts of which a placeholder offers a choice."""
    return [re.sub(r"\\(.)", r"\1", choice) for choice in re.split(r"(?<!\\),", text)]


def check_snippet(isa: Isa, snippet: dict[str, Any]) -> Analysis:
    """The analysis of a small program with the snippet, which must have no finding."""
    analysis = analyze(_program(isa, expanded(snippet)), isa)
    assert analysis.diagnostics == (), analysis.text
    return analysis


def _program(isa: Isa, text: str) -> str:
    """A program around what a snippet inserts: what is silenced, and an end, if it has none."""
    text = text.rstrip("\n") + "\n"
    if "ipu: ignore" in text:
        text += SILENCED[isa.surface.language_id]
    # What halts is asked of the set; where nothing does, a program ends with its last line.
    specs = isa.instructions.values()
    halts = [spec.mnemonic for spec in specs if spec.flow == "halt" and not spec.operands]
    if halts and halts[0] not in text:
        text += f"    {halts[0]}{isa.surface.bundle_end}\n"
        # What a part of a kernel multiplies, and its last element, are set before it.
        text = (LOADS if "mult." in text else "") + text
    return text


@EVERY_SNIPPET
def test_a_snippet_is_a_program_without_findings(isa: Isa, snippet: dict[str, Any]) -> None:
    analysis = check_snippet(isa, snippet)
    lines = filter(None, expanded(snippet).split("\n"))
    is_comment = all(line.startswith(isa.surface.comments) for line in lines)
    assert is_comment or analysis.program.size > 0


@EVERY_SNIPPET
def test_every_choice_of_a_snippet_can_be_taken(isa: Isa, snippet: dict[str, Any]) -> None:
    body = "\n".join(snippet["body"])
    rules = {rule.id.name for rule in all_rules()}
    for choice in _CHOICE.finditer(body):
        for text in choices(choice[2]):
            if "ipu: ignore" in body:
                assert text in rules
            elif "isa:" in body:
                assert text in available_isas()
            else:
                taken = body.replace(choice[0], f"${{{choice[1]}:{text}}}")
                check_snippet(isa, {"body": taken.split("\n")})


@EVERY_SNIPPET
def test_the_formatter_leaves_a_snippet_as_it_is(isa: Isa, snippet: dict[str, Any]) -> None:
    text = inserted(isa, snippet).rstrip() + "\n"
    assert apply_edits(text, formatting(analyze(text, isa))) == text


@EVERY_SNIPPET
def test_a_snippet_tells_what_it_is_for(isa: Isa, snippet: dict[str, Any]) -> None:
    assert set(snippet) == {"prefix", "description", "body"}
    assert snippet["prefix"]
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", prefix) for prefix in snippet["prefix"])
    assert re.fullmatch(r"[A-Z`].*[^.\n]", snippet["description"])
    assert all(len(line) <= 160 for line in snippet["body"])


@EVERY_SNIPPET
def test_the_stops_of_a_snippet_are_numbered_without_a_gap(
    isa: Isa, snippet: dict[str, Any]
) -> None:
    body = "\n".join(snippet["body"])
    numbers = {int(number) for number in re.findall(r"\$\{?(\d+)", body)} - {0}
    assert sorted(numbers) == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize(
    ("name", "cycles"),
    [("Loop with a counter", 1 + 10 + 1), ("Two nested loops", 1 + 10 * (1 + 128 + 1) + 1)],
)
def test_a_loop_makes_the_turns_that_its_comments_say(name: str, cycles: int) -> None:
    snippet = json.loads((FOLDER / "ipu-asm.json").read_text(encoding="utf-8"))[name]
    state = IpuState()
    state.load_program(assemble(_program(load_isa("ipu"), expanded(snippet))))
    assert run_until_complete(state) == cycles


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_snippets(language: str) -> None:
    assert (FOLDER / f"{language}.json").is_file()
