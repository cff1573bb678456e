"""The instruction reference as Markdown and as one HTML page."""

from __future__ import annotations

import re
from html import escape
from typing import Iterator

from ipu_asm.docs.layout_picture import layout_svg
from ipu_asm.instruction_page import instruction_markdown
from ipu_asm.isa.model import InstructionSpec, Isa, Slot
from ipu_asm.isa.operands import KeywordType, OperandType

_PICTURE_MARK = "layout"
_HEADING = re.compile("<h3><code>(.*?)</code></h3>")
_STYLE = """
:root { color-scheme: light dark; --line: #8886; --code: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .92em; background: var(--code); }
pre { padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; }
pre code { background: none; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .2rem .6rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); } h3 { margin-top: 2.2rem; }
svg { max-width: 100%; height: auto; }
"""


def reference_files(isa: Isa) -> dict[str, tuple[str, str]]:
    """File name and text of the reference as `md`, `html` and `svg`; md shows the svg's file."""
    picture = f"{isa.name}.svg"
    return {
        "md": (f"{isa.name}.md", reference_markdown(isa, picture)),
        "html": (f"{isa.name}.html", reference_html(isa)),
        "svg": (picture, layout_svg(isa)),
    }


def reference_markdown(isa: Isa, picture: str = "") -> str:
    """The whole reference; `picture` is the file name of the layout picture to show in it."""
    return "\n\n".join(_sections(isa, picture)) + "\n"


def reference_html(isa: Isa) -> str:
    """The reference as a page that needs no other file: the picture is in it."""
    title, body = escape(reference_title(isa)), reference_body(isa)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def reference_title(isa: Isa) -> str:
    """What the reference is called."""
    return f"{isa.title} instruction reference"


def reference_body(isa: Isa) -> str:
    """What stands between `<body>` and `</body>`: it brings no style, no script, no other file."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(reference_markdown(isa, _PICTURE_MARK))
    mark = f'<p><img src="{_PICTURE_MARK}" alt="{escape(_alt(isa))}" /></p>'
    return _HEADING.sub(_with_anchor, body.replace(mark, layout_svg(isa)))


def anchor_of(mnemonic: str) -> str:
    """The anchor of an instruction's heading, as Markdown viewers make it, too."""
    return mnemonic.lower().replace(".", "")


def _alt(isa: Isa) -> str:
    return f"Layout of the {isa.title} word, {isa.word_bits} bits"


def _sections(isa: Isa, picture: str) -> Iterator[str]:
    yield f"# {reference_title(isa)}"
    yield (
        f"{len(isa.instructions)} instructions. A word has {isa.word_bits} bits and is stored in "
        f"{isa.image_bytes} bytes, little-endian; a program has {isa.program_limit} words at most."
    )
    if picture:
        yield f"![{_alt(isa)}]({picture})"
    yield _overview(isa)
    yield "## Operand types"
    yield _operand_types(isa)
    yield "## Registers"
    yield "\n".join(
        f"- {file.spoken()}, {file.title}: {file.summary}" for file in isa.register_files
    )
    for slot in isa.slots:
        yield f"## {slot.title}"
        yield _about_slot(isa, slot)
        for spec in isa.instructions_of(slot.name):
            yield f"### `{spec.mnemonic}`"
            yield instruction_markdown(isa, spec)


def _overview(isa: Isa) -> str:
    rows = ["| slot | bits | instructions |", "|---|---|---|"]
    for slot in isa.slots:
        places = ", ".join(f"{low + slot.width - 1}:{low}" for low in slot.lows)
        names = ", ".join(_link(spec) for spec in isa.instructions_of(slot.name))
        rows.append(f"| {slot.name} | {places} | {names} |")
    return "\n".join(rows)


def _link(spec: InstructionSpec) -> str:
    return f"[`{spec.mnemonic}`](#{anchor_of(spec.mnemonic)})"


def _with_anchor(heading: re.Match[str]) -> str:
    return f'<h3 id="{anchor_of(heading[1])}"><code>{heading[1]}</code></h3>'


def _about_slot(isa: Isa, slot: Slot) -> str:
    many = "one instruction" if slot.capacity == 1 else f"{slot.capacity} instructions"
    default = f"; a place that it does not name holds `{slot.default}`" if slot.default else ""
    return f"A word carries {many} of this slot{default}."


def _operand_types(isa: Isa) -> str:
    rows = ["| type | bits | written |", "|---|---|---|"]
    for operand_type in _types_in_use(isa):
        written = operand_type.describe()
        if isinstance(operand_type, KeywordType):
            written = ", ".join(f"`{word}`" for word in operand_type.spellings)
        written = written.replace("|", "\\|")  # a bar ends a cell, even in code
        rows.append(f"| {operand_type.name} | {operand_type.width} | {written} |")
    return "\n".join(rows)


def _types_in_use(isa: Isa) -> list[OperandType]:
    types = {
        operand.type.name: operand.type
        for spec in isa.instructions.values()
        for operand in spec.operands
    }
    return list(types.values())
