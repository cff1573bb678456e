"""Tests as text: files of scripts, whose lines have their answers below them.

A file has a head, programs (`-- NAME`, their lines, `--`) and scripts (`== title`). The lines of a
script are commands; the indented lines below each are its answer, which `write_answers` writes
anew. Read the difference before you commit it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Callable, Final, NamedTuple

import pytest
from _pytest.mark.structures import ParameterSet

_ARGUMENT: Final = re.compile(r"(\w+)=(?=\S)")


class Script(NamedTuple):
    """The lines of one script, and the programs of its file by name."""

    title: str
    lines: list[str]
    programs: dict[str, str]

    def played(self, answer: Callable[[str], str]) -> list[str]:
        """The lines with the answers that are given now."""
        found = []
        for line in self.lines:
            if not line.startswith("  "):
                answers = answer(line).split("\n")
                found += [line, *(f"  {each.rstrip()}" for each in answers if each.strip())]
        return found


def scripts_of(path: Path) -> tuple[str, list[Script]]:
    """The head of a file with its programs, and its scripts."""
    head, *rest = re.split(r"^== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    programs = dict(re.findall(r"^-- (\w+)\n(.*?)^--$", head, re.MULTILINE | re.DOTALL))
    scripts = []
    for part in rest:
        title, *lines = part.rstrip().split("\n")
        scripts.append(Script(title, [line for line in lines if line.strip()], programs))
    return head, scripts


def titled_scripts(folder: Path) -> list[ParameterSet]:
    """The scripts of all files in a folder, as parameters of a test."""
    return [
        pytest.param(script, id=f"{path.stem}: {script.title}")
        for path in sorted(folder.glob("*.txt"))
        for script in scripts_of(path)[1]
    ]


def write_answers(folder: Path, names: list[str], play: Callable[[Script], list[str]]) -> None:
    """Write the answers of the files with these names, or of all, anew."""
    for path in sorted(folder.glob("*.txt")):
        if not names or path.stem in names:
            head, scripts = scripts_of(path)
            parts = ["\n".join([f"== {each.title}", *play(each)]) for each in scripts]
            path.write_text("\n\n".join([head.rstrip(), *parts]) + "\n", encoding="utf-8")


def arguments_of(text: str) -> tuple[list[str], dict[str, Any]]:
    """Words, and JSON values by their names; a word may be a JSON object or list."""
    words, found, decoder = list[str](), dict[str, Any](), json.JSONDecoder()
    text = text.strip()
    while text:
        match = _ARGUMENT.match(text)
        if match is not None:
            found[match[1]], end = decoder.raw_decode(text, match.end())
        elif text[0] in '{["':
            value, end = decoder.raw_decode(text)
            words.append(json.dumps(value, ensure_ascii=False))
        else:
            end = len(text.split(None, 1)[0])
            words.append(text[:end])
        text = text[end:].strip()
    return words, found


def text_and_arguments(text: str) -> tuple[str, dict[str, Any]]:
    """A text with single blanks, and the arguments after two blanks."""
    name, _, rest = text.partition("  ")
    return name.strip(), arguments_of(rest)[1]
