"""The tree-sitter grammars parse what the parser parses, and mark the same words.

Needs the extra `editors`, and a C compiler: `cc`, or that of the extra `core`.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Iterator

import pytest
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import analyze
from ipu_asm.diagnostics import Severity
from ipu_asm.ide import semantic_tokens as kinds
from ipu_asm.isa import load_isa
from ipu_asm.reports.textmate_operands import register_spellings
from tests.editors.install import command
from tests.example_references import ROOT
from tests.form_programs import TEXTS
from tests.vectors import records

GRAMMARS = ROOT / "grammars"
# All 3,227 recorded programs take 20 s a set.
STEP = 20
SETS = ("ipu", "ipu2", "edgenpu", "xdna1", "xdna2", "colossus")
KINDS = {
    "function": kinds.MNEMONIC,
    "variable.builtin": kinds.REGISTER,
    "constant.builtin": kinds.KEYWORD,
    "variable.parameter": kinds.PARAMETER,
    "label": kinds.LABEL,
    "number": kinds.NUMBER,
    "string": kinds.STRING,
    "comment": kinds.COMMENT,
    "keyword.directive": kinds.DIRECTIVE,
}
# What a word is may depend on its instruction, of which the tree knows nothing: a number is the
# index of a register or a distance, a register's name is a label or a keyword, or in mixed case.
MEANINGS = (kinds.REGISTER, kinds.LABEL, kinds.KEYWORD)
LUA = """
vim.treesitter.language.register("ipu_asm", { "ipu-asm" })
vim.bo.filetype = "ipu-asm"
vim.treesitter.start()
vim.treesitter.get_parser():parse(true)
vim.fn.cursor(1, 1)
for _, word in ipairs({ "^element:", "ldr_cyclic_mult_reg", "lr5 *1", "128;" }) do
  local row, column = unpack(vim.fn.searchpos(word))
  local captures = vim.treesitter.get_captures_at_pos(0, row - 1, column - 1)
  print(captures[#captures].capture)
end
vim.cmd("qa!")
"""


class Grammar:
    """A compiled grammar and its queries."""

    def __init__(self, language: str, library: Path) -> None:
        folder, self.library = GRAMMARS / f"tree-sitter-{language}", library
        compiler = (
            [shutil.which("cc")] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
        )
        options = ["-shared", "-fPIC", "-I", folder / "src", "-o", library]
        subprocess.run([*map(str, [*compiler, *options, folder / "src" / "parser.c"])], check=True)
        function = getattr(ctypes.CDLL(str(library)), f"tree_sitter_{language.replace('-', '_')}")
        function.restype = ctypes.c_void_p
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.language = Language(function())
        self.parser = Parser(self.language)
        self.queries = {
            path.stem: Query(self.language, path.read_text(encoding="utf-8"))
            for path in (folder / "queries").glob("*.scm")
        }

    def marks(self, root: Node, text: bytes) -> dict[tuple[int, int], str]:
        """The kind of each span of code points; of two patterns the last one counts."""
        found = {}
        matches = QueryCursor(self.queries["highlights"]).matches(root)
        for _, captures in sorted(matches, key=lambda match: match[0]):
            for name, nodes in captures.items():
                for node in nodes:
                    start = len(text[: node.start_byte].decode())
                    found[start, start + len(text[node.start_byte : node.end_byte].decode())] = (
                        KINDS.get(name, name)
                    )
        return found


@pytest.fixture(scope="module")
def grammars(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Grammar]:
    folder = tmp_path_factory.mktemp("grammars")
    languages = {load_isa(name).surface.language_id for name in SETS}
    return {name: Grammar(name, folder / f"{name}.so") for name in languages}


def programs(isa: str) -> Iterator[str]:
    """The examples, recorded programs and other texts of a set."""
    extensions = {"ipu": "*.s", "ipu2": "ipu2/*.s", "edgenpu": "edgenpu/*.edgenpu",
                  "xdna1": "xdna1/*", "xdna2": "xdna2/*", "colossus": "colossus/*.S"}  # fmt: skip
    for path in sorted((ROOT / "examples").glob(extensions[isa])):
        yield path.read_text(encoding="utf-8")
    yield from (text for name, text in TEXTS if name == isa)
    if isa in ("ipu", "ipu2"):
        prefix = "" if isa == "ipu" else "ipu2_"
        yield from (record["asm"] for record in records(f"{prefix}encode")[::STEP])
    elif isa == "colossus":
        yield "\n".join(record["asm"] for record in records("colossus_words") if record["asm"])
    elif isa != "edgenpu":
        yield "\n".join(
            record["asm"]
            for record in records("xdna_words")
            if record["isa"] == isa and "asm" in record
        )
        for record in records("xdna_exec"):
            if record["isa"] == isa:
                yield "\n".join(record["program"]) + "\n"


def tokens(analysis: Analysis) -> Iterator[tuple[int, int, str]]:
    program = analysis.program
    for start, bundle in zip(program.starts, program.bundles):
        for (first, last), kind, _ in kinds.semantic_tokens(program.isa, bundle):
            yield start + first, start + last, kind


def is_in_comment(root: Node, text: str, offset: int) -> bool:
    """Whether a word is a part of a comment, such as of an assertion."""
    place = len(text[:offset].encode())
    node = root.descendant_for_byte_range(place, place)
    return node is not None and node.type == "comment"


@pytest.mark.parametrize("isa", SETS)
def test_what_the_parser_parses_has_no_error_and_the_same_words(
    isa: str, grammars: dict[str, Grammar]
) -> None:
    grammar = grammars[load_isa(isa).surface.language_id]
    registers = {name.lower() for name in register_spellings(load_isa(isa))}
    seen = 0
    for text in programs(isa):
        analysis = analyze(text, isa)
        if analysis.expanded or any(f.severity is Severity.ERROR for f in analysis.diagnostics):
            continue
        encoded = text.encode()
        root = grammar.parser.parse(encoded).root_node
        assert not root.has_error, text
        marks = grammar.marks(root, encoded)
        for start, end, kind in tokens(analysis):
            if (start, end) in marks:
                word, mark = text[start:end], marks[start, end]
                is_number = mark == kinds.NUMBER and word[0] in "+-0123456789"
                is_mixed = word not in (word.lower(), word.upper())
                depends = is_number or is_mixed or kind == kinds.LABEL or word.lower() in registers
                assert mark == kind or (depends and kind in MEANINGS), (word, mark, kind, text)
                seen += 1
            elif not is_in_comment(root, text, start):
                assert not text[start].isalnum(), (text[start:end], kind)
    assert seen > 20


def test_a_template_and_a_broken_line_spoil_themselves_alone(grammars: dict[str, Grammar]) -> None:
    for name in ("row_filter.asm", "ipu2/convolution.s"):
        text = (ROOT / "examples" / name).read_bytes()
        assert not grammars["ipu-asm"].parser.parse(text).root_node.has_error
    text = b"    mov r0, r1\n    ) ] \x01 ;;\n    nop\n"
    root = grammars["aie-asm"].parser.parse(text).root_node
    marks = grammars["aie-asm"].marks(root, text)
    assert root.has_error
    assert marks[text.index(b"mov"), text.index(b"mov") + 3] == kinds.MNEMONIC
    assert marks[text.index(b"nop"), text.index(b"nop") + 3] == kinds.MNEMONIC


def test_neovim_colours_a_kernel_with_it(tmp_path: Path, grammars: dict[str, Grammar]) -> None:
    (tmp_path / "parser").mkdir()
    shutil.copy(grammars["ipu-asm"].library, tmp_path / "parser" / "ipu_asm.so")
    shutil.copytree(GRAMMARS / "tree-sitter-ipu-asm/queries", tmp_path / "queries" / "ipu_asm")
    script = tmp_path / "script.lua"
    script.write_text(LUA, encoding="utf-8")
    kernel = ROOT / "examples" / "fully_connected.s"
    command_line = [
        str(command("nvim")),
        "--headless",
        "-u",
        "NONE",
        "--cmd",
        f"set rtp^={tmp_path}",
    ]
    done = subprocess.run(
        [*command_line, kernel, "-S", script], capture_output=True, text=True, check=True
    )
    assert done.stderr.split() == ["label", "function", "variable.builtin", "number"]
