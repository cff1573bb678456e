"""The instruction reference as Markdown and as one HTML page.

The page is rendered Markdown in a frame of five lines, too few for an HTML template.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final, Iterator, Mapping

from ipu_asm.isa import load_isa, manifests
from ipu_asm.isa.model import InstructionSpec, Isa, Slot
from ipu_asm.isa.operands import KeywordType, OperandType
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.reports.pages import heading_of, instruction_markdown


class SlotColour(NamedTuple):
    """Colours for text on light and on dark paper, and of a filled box with black text."""

    light: str
    dark: str
    box: str


# Each text reaches a contrast of 4.5 on white and on #1f1f1f; a test computes it.
PALETTE: Final = (
    SlotColour("#0b5cad", "#6cb2f7", "#a8d5f2"),  # blue
    SlotColour("#a34700", "#f2a35e", "#f7c794"),  # orange
    SlotColour("#1f7a1f", "#8fce7a", "#b9e3b0"),  # green
    SlotColour("#7a3db8", "#c8a2f2", "#d6b8ee"),  # purple
    SlotColour("#00736b", "#5cd1c4", "#a9e2dc"),  # teal
    SlotColour("#b0246e", "#f590c0", "#f5b8d6"),  # magenta
    SlotColour("#6b6200", "#d6c85a", "#f2e694"),  # olive
    SlotColour("#4d5f73", "#a9b8c8", "#cfd3da"),  # steel
)


def slot_colours(isa: Isa) -> dict[str, int]:
    """Return the number of the colour in `PALETTE` of each slot that does work."""
    manifest = manifests().get(isa.name)
    numbers = colours_of_language(manifest.language_id) if manifest else _with_colours({}, isa)
    return {slot.name: numbers[slot.name] for slot in isa.working_slots}


def colours_of_language(language_id: str) -> dict[str, int]:
    """Return the number of the colour of each slot of all sets that are written in a language."""
    numbers: dict[str, int] = {}
    for name, manifest in manifests().items():
        if manifest.language_id == language_id:
            numbers = _with_colours(numbers, load_isa(name))
    return numbers


def _with_colours(numbers: Mapping[str, int], isa: Isa) -> dict[str, int]:
    """Return `numbers` and those of the set's other slots: the first that none of its slots has."""
    slots = [slot.name for slot in isa.working_slots]
    taken = {numbers[slot] for slot in slots if slot in numbers}
    free = (number for number in range(len(PALETTE)) if number not in taken)
    # With more slots than colours, the last ones share the last colour.
    new = {slot: next(free, len(PALETTE) - 1) for slot in slots if slot not in numbers}
    return {**numbers, **new}


_BITS_A_ROW = 32
_BIT = 30
_BOX = 34
_ROW = _BOX + 34
_MARGIN = 20
_TOP = 56
_FONT = 11
# Average width of a letter as a fraction of the font size.
_LETTER = 0.58
_IDLE = "#e6e8eb"


class _Box(NamedTuple):
    slot: str
    text: str
    high: int
    low: int


_PICTURE_MARK = "layout"
_HEADING = re.compile("<(h3)>(.*?)</h3>")
_SLOT_OR_HEADING = re.compile("<(h[23])>(.*?)</h[23]>")
_TAG = re.compile("<[^>]*>")
_STYLE = """
:root { color-scheme: light dark; --line: #8886; --code: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
pre, code { font-family: ui-monospace, monospace; font-size: .92em; background: var(--code); }
pre { padding: .6rem .8rem; overflow-x: auto; border-radius: 4px; }
pre code { background: none; }
table { border-collapse: collapse; } td, th { border: 1px solid var(--line); padding: .2rem .6rem; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); } h3 { margin-top: 2.2rem; }
svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) { svg { filter: invert(.88) hue-rotate(180deg); } }
"""


def reference_files(isa: Isa) -> dict[str, tuple[str, str]]:
    """Return file name and text of the reference by format: `md`, `html` and `svg`.

    The Markdown file refers to the SVG file. There is no `svg` if the instruction set has no
    encoding.
    """
    picture = f"{isa.name}.svg"
    if not isa.has_words:
        return {
            "md": (f"{isa.name}.md", reference_markdown(isa)),
            "html": (f"{isa.name}.html", reference_html(isa)),
        }
    return {
        "md": (f"{isa.name}.md", reference_markdown(isa, picture)),
        "html": (f"{isa.name}.html", reference_html(isa)),
        "svg": (picture, layout_svg(isa)),
    }


def reference_markdown(isa: Isa, picture: str = "") -> str:
    """Return the whole reference; `picture` is the file name of the layout picture to include."""
    return "\n\n".join(_sections(isa, picture)) + "\n"


def reference_html(isa: Isa) -> str:
    """Return the reference as a self-contained HTML page, with the picture inline."""
    title, body = escape(reference_title(isa)), reference_body(isa)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def reference_title(isa: Isa) -> str:
    return f"{isa.title} instruction reference"


def reference_body(isa: Isa) -> str:
    """Return the content of `<body>`, without styles, scripts or references to other files."""
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark").enable("table").render(reference_markdown(isa, _PICTURE_MARK))
    mark = f'<p><img src="{_PICTURE_MARK}" alt="{escape(_alt(isa))}" /></p>'
    picture = layout_svg(isa) if isa.has_words else ""
    headings = _HEADING if isa.has_words else _SLOT_OR_HEADING
    return headings.sub(_with_anchor, body.replace(mark, picture))


def anchor_of(isa: Isa, spec: InstructionSpec) -> str:
    """Return the anchor of an instruction's heading, as Markdown viewers derive it, too."""
    return _anchor(heading_of(isa, spec))


def _alt(isa: Isa) -> str:
    return f"Layout of the {isa.title} word, {isa.word_bits} bits"


def _sections(isa: Isa, picture: str) -> Iterator[str]:
    yield f"# {reference_title(isa)}"
    yield _summary(isa)
    if picture and isa.has_words:
        yield f"![{_alt(isa)}]({picture})"
    yield _overview(isa)
    # Sets without encoding have many operand types: the types follow the instructions, which are
    # what readers look for.
    if isa.has_words:
        yield from _operand_types(isa)
    yield "## Registers"
    yield "\n".join(
        f"- {file.as_phrase()}, {file.title}: {file.summary}" for file in isa.register_files
    )
    for slot in isa.slots:
        yield f"## {slot.title}"
        yield _about_slot(isa, slot)
        if not isa.has_words:
            yield _links(isa, slot)
        for spec in isa.instructions_of(slot.name):
            yield f"### {heading_of(isa, spec)}"
            yield instruction_markdown(isa, spec, _others_in_slot(isa, spec))
    if not isa.has_words:
        yield from _operand_types(isa)


def _summary(isa: Isa) -> str:
    count = len(isa.instructions)
    if isa.has_words:
        return (
            f"{count} instructions. A word has {isa.word_bits} bits and is stored in "
            f"{isa.image_bytes} bytes, little-endian; a program has {isa.program_limit} words at "
            "most."
        )
    forms = sum(len(isa.forms(spec)) for spec in isa.instructions.values())
    manifest = manifests().get(isa.name)
    is_known = manifest is not None and manifest.has_machine_code
    code = (
        "`ipu-as` assembles and disassembles their code" if is_known else "Their code is not known"
    )
    return f"{count} instructions in {forms} forms. {code}."


def _others_in_slot(isa: Isa, spec: InstructionSpec) -> list[InstructionSpec]:
    """Return the other forms of the mnemonic in the same slot."""
    return [form for form in isa.forms(spec) if form.slot == spec.slot and form is not spec]


def _overview(isa: Isa) -> str:
    """Return a table of the slots with their bits or units and their instructions.

    Sets without encoding have too many instructions for the table: each slot's section lists its
    own.
    """
    what = "bits" if isa.has_words else "units"
    rows = [f"| slot | {what} | instructions |", "|---|---|---|"]
    for slot in isa.slots:
        places = [f"{low + slot.width - 1}:{low}" for low in slot.lows]
        taken = ", ".join(places if isa.has_words else slot.units)
        if isa.has_words:
            rows.append(f"| {slot.name} | {taken} | {_links(isa, slot)} |")
        else:
            count = len(isa.instructions_of(slot.name))
            rows.append(f"| [{slot.name}](#{_anchor(slot.title)}) | {taken} | {count} |")
    return "\n".join(rows)


def _links(isa: Isa, slot: Slot) -> str:
    return ", ".join(_link(isa, spec) for spec in isa.instructions_of(slot.name))


def _link(isa: Isa, spec: InstructionSpec) -> str:
    return f"[`{spec.mnemonic}`](#{anchor_of(isa, spec)})"


def _with_anchor(heading: re.Match[str]) -> str:
    level, title = heading.groups()
    return f'<{level} id="{_anchor(_TAG.sub("", title))}">{title}</{level}>'


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _about_slot(isa: Isa, slot: Slot) -> str:
    if slot.units:
        units = " and ".join(f"`{unit}`" for unit in slot.units)
        if slot.units == (slot.name,):
            return f"A {isa.unit} carries one instruction of this slot."
        return f"An instruction of this slot takes up {units} of its {isa.unit}."
    many = "one instruction" if slot.capacity == 1 else f"{slot.capacity} instructions"
    default = f"; a place that it does not name holds `{slot.default}`" if slot.default else ""
    return f"A word carries {many} of this slot{default}."


def _operand_types(isa: Isa) -> Iterator[str]:
    yield "## Operand types"
    bits = " bits |" if isa.has_words else ""
    rows = [f"| type |{bits} written |", "|---|---|---|" if bits else "|---|---|"]
    for operand_type in _types_in_use(isa):
        written = operand_type.describe()
        if isinstance(operand_type, KeywordType):
            written = ", ".join(f"`{word}`" for word in operand_type.spellings)
        written = written.replace("|", "\\|")  # a bar ends a cell, even in code
        width = f" {operand_type.width} |" if isa.has_words else ""
        label = operand_type.label.replace("|", "\\|")
        rows.append(f"| {label} |{width} {written} |")
    yield "\n".join(dict.fromkeys(rows))


def _types_in_use(isa: Isa) -> list[OperandType]:
    types = {
        operand.type.name: operand.type
        for spec in isa.instructions.values()
        for form in isa.forms(spec)
        for operand in form.operands
    }
    return list(types.values())


def layout_svg(isa: Isa) -> str:
    """Return the picture as a complete SVG document."""
    rows = -(-isa.word_bits // _BITS_A_ROW)
    width = _BITS_A_ROW * _BIT + 2 * _MARGIN
    legend_top = _TOP + rows * _ROW + 10
    height = legend_top + 44
    title = f"{isa.title} word: {isa.word_bits} bits"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="{_FONT}" '
        f'role="img" aria-label="{escape(title)}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="{width / 2:g}" y="26" text-anchor="middle" font-size="17" '
        f'font-weight="bold">{escape(title)}</text>',
    ]
    boxes = {name: PALETTE[number].box for name, number in slot_colours(isa).items()}
    colours = {slot.name: boxes.get(slot.name, _IDLE) for slot in isa.slots}
    for row in range(rows):
        parts += _row(isa, rows - 1 - row, _TOP + row * _ROW, colours)
    parts += _legend(isa, legend_top, colours)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _boxes(isa: Isa) -> Iterator[_Box]:
    """Yield a box for each field of each place of each slot."""
    for slot in isa.slots:
        for low in slot.lows:
            for field in slot.fields:
                start = low + field.low
                yield _Box(slot.name, field.type, start + field.width - 1, start)


def _row(isa: Isa, row: int, top: int, colours: dict[str, str]) -> Iterator[str]:
    low = row * _BITS_A_ROW
    high = min(low + _BITS_A_ROW, isa.word_bits) - 1
    for bit in range(low, high + 1):
        x = _left(bit, low) + _BIT / 2
        yield (
            f'<text x="{x:g}" y="{top}" text-anchor="middle" font-size="9" '
            f'fill="#555555">{bit}</text>'
        )
    for box in _boxes(isa):
        if box.high >= low and box.low <= high:
            yield from _box_svg(box, low, high, top + 5, colours[box.slot])


def _left(bit: int, low: int) -> int:
    return _MARGIN + (_BITS_A_ROW - 1 - (bit - low)) * _BIT


def _box_svg(box: _Box, low: int, high: int, top: int, colour: str) -> Iterator[str]:
    """Yield the part of a field in one row; a field split over rows has its name in each."""
    first, last = min(box.high, high), max(box.low, low)
    x = _left(first, low)
    width = (first - last + 1) * _BIT
    bits = str(box.high) if box.high == box.low else f"{box.high}:{box.low}"
    yield (
        f'<rect x="{x}" y="{top}" width="{width}" height="{_BOX}" fill="{colour}" '
        f'stroke="#444444"><title>{escape(f"{box.slot}: {box.text} [{bits}]")}</title></rect>'
    )
    for offset, text in ((14, box.text), (27, f"[{bits}]")):
        size = min(_FONT, (width - 4) / (len(text) * _LETTER))
        yield (
            f'<text x="{x + width / 2:g}" y="{top + offset}" text-anchor="middle" '
            f'font-size="{size:.3g}">{escape(text)}</text>'
        )


def _legend(isa: Isa, top: int, colours: dict[str, str]) -> Iterator[str]:
    x, y = float(_MARGIN), top
    for slot in isa.slots:
        text = f"{slot.name} ({slot.title})"
        room = 34 + len(text) * _FONT * _LETTER
        if x + room > _BITS_A_ROW * _BIT + _MARGIN:
            x, y = float(_MARGIN), y + 20
        yield (
            f'<rect x="{x:g}" y="{y}" width="14" height="14" fill="{colours[slot.name]}" '
            f'stroke="#444444"/>'
        )
        yield f'<text x="{x + 19:g}" y="{y + 11}">{escape(text)}</text>'
        x += room
