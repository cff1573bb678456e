"""Blocks of text that describe instructions, as tables in the folders of sets hold them.

A block is a head and lines indented by four: a title, a bar and a summary, ``name: text`` lines of
operands, `=` lines of the operation, `>` lines of the example, `-` facts between semicolons. A line
that is indented further continues the one before it. A word in capitals and braces stands for a
text that several blocks share.
"""

from __future__ import annotations

import re
from typing import Collection, Iterator, Mapping

from ipu_asm.named_tuple import NamedTuple

_SHARED_TEXT = re.compile(r"\{([A-Z_]+)\}")
_MARKS = "=>-"


class Block(NamedTuple):
    """A block, with the lines of its sentences, operation and example, and its facts."""

    head: str
    lines: list[str]
    operation: list[str]
    example: list[str]
    facts: list[str]

    def texts(self, names: Collection[str] = ()) -> tuple[str, str, dict[str, str]]:
        """Return title, summary, and the texts of those operands that have a line of their own."""
        sentences: list[str] = []
        of_operands: dict[str, str] = {}
        for line in self.lines:
            name, colon, text = line.partition(": ")
            if colon and name in names:
                of_operands[name] = text
            else:
                sentences.append(line)
        title, _, summary = " ".join(sentences).partition(" | ")
        return title, summary, of_operands


def blocks(text: str, shared: Mapping[str, str]) -> Iterator[Block]:
    """Yield the blocks of a table; `shared` has the texts by their words."""
    for head, *lines in raw_blocks(text):
        found = Block(head, [], [], [], [])
        of_mark = {"=": found.operation, ">": found.example, "-": found.facts}
        for line in lines:
            filled = _SHARED_TEXT.sub(lambda match: shared[match[1]], line)
            if line[0] == "-":
                found.facts.extend(filled[2:].split("; "))
            elif line[0] in _MARKS:
                of_mark[line[0]].append(filled[2:])
            else:
                found.lines.append(filled)
        yield found


def raw_blocks(text: str) -> Iterator[list[str]]:
    """Yield blocks as lines without their indentation, each with those that continue it."""
    block: list[str] = []
    for line in text.splitlines():
        stripped = line.removeprefix("    ")
        if stripped is line and block:
            yield block
            block = []
        if stripped[:1] == " ":
            block[-1] += f" {stripped.strip()}"
        else:
            block.append(stripped)
    yield block
