"""The pages of the commands: every option of every command is on them, as `--help` says it."""

from __future__ import annotations

import argparse
import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any, Iterator

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ["ipu-as", "ipu-dap", "ipu-fmt", "ipu-lint", "ipu-lsp", "ipu-mca", "ipu-mcp", "ipu-run"]


@pytest.fixture(scope="module", name="pages")
def _pages() -> Any:
    """The script that writes the pages."""
    loader = SourceFileLoader("command_pages", str(ROOT / ".ci" / "command-pages"))
    spec = spec_from_loader(loader.name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a command and of its subcommands."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for inner in action.choices.values():
                yield from options(inner)


def test_each_command_has_its_options_in_the_reference(pages: Any) -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    parsers = pages.parsers()
    assert sorted(parsers) == NAMES
    for name, parser in parsers.items():
        assert pages.markdown(name, parser) in text, "run `make generate`"


@pytest.mark.parametrize("name", NAMES)
def test_each_command_has_its_options_in_its_page_for_man(pages: Any, name: str) -> None:
    text = (ROOT / "docs" / "man" / f"{name}.1").read_text(encoding="utf-8").replace("\\-", "-")
    given = {option for option in options(pages.parsers()[name]) if option not in ("-h", "--help")}
    assert [option for option in sorted(given) if f"\\fB{option}\\fR" not in text] == []
    assert f".SH NAME\n{name} - " in text


def every_parser(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A command and its subcommands."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def test_every_help_begins_with_a_sentence_and_has_examples(pages: Any) -> None:
    for command in pages.parsers().values():
        for parser in every_parser(command):
            assert re.match(r"[A-Z][^.\n]+\.", parser.description or ""), parser.prog
            assert f"examples:\n  {parser.prog}" in parser.format_help(), parser.prog


def test_every_option_says_what_it_does(pages: Any) -> None:
    for parser in pages.parsers().values():
        for line in pages.markdown("x", parser).splitlines():
            assert not line.endswith(("|  |", "| None |")), line
