"""Completion and hover in `ipu.toml`: keys, tables and values, from the schema that reads it."""

from __future__ import annotations

import re
from functools import partial
from typing import Final, Iterator, Mapping

from ipu_asm.config.schema import Field, OneOf, Table, flag
from ipu_asm.config.toml_settings import schema
from ipu_asm.ide.completion import KEYWORD, PARAMETER, CompletionItem
from ipu_asm.isa import HostOption
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

ANY: Final = "*"
"""The part of a key that users choose, such as a glob."""

NOTES: Final[Mapping[str, str]] = {
    "isa": 'The instruction set of all files below this folder: `isa = "ipu2"`.',
    "isa-by-glob": 'The instruction set of files; the first glob counts: `"npu/*.s" = "edgenpu"`.',
    "include-paths": 'Folders of headers, and globs of folders: `["include", "libs/*/include"]`.',
    "exclude": "Globs of what searches leave out, in place of the default.",
    "extend-exclude": "Globs of what searches leave out as well.",
    "respect-gitignore": "Whether searches leave out what git ignores; `true` by default.",
    "lint": "Which findings are reported.",
    "lint.select": "The only findings that are shown: codes, names or prefixes of codes.",
    "lint.extend-select": 'Findings that are shown as well, such as hints: `["H301"]`.',
    "lint.ignore": 'Findings that are not shown: `["unused-label"]`.',
    "lint.per-file-ignores": 'Findings that are not shown in some files: `"tests/**" = ["W"]`.',
    "lint.fail-level": 'The severity from which `ipu-lint` fails; `"warning"` by default.',
    "format": "How files are formatted.",
    "format.style": "Lines as they are, one instruction a line, or one bundle a line.",
    "format.mnemonic-case": "The case of mnemonics, in instruction sets that accept any.",
    "memory": "The machine of an instruction set whose memory limits apply.",
    "defines": "Values of template variables and of preprocessor macros: `TILE_WORDS = 64`.",
    "template": 'The templates of a glob: `[template."kernels/*.asm"]`.',
    "template.*.contexts": "What a template is checked with: `[{rows = 8}, {rows = 16}]`.",
    "kernel": 'What the host gives to the kernels of a glob: `[kernel."kernels/conv*.s"]`.',
    "kernel.*.cr": "Values of configuration registers: `{1 = 0x20000, 4 = [64, 128]}`.",
    "kernel.*.lr": "Values of loop registers: `{5 = 3}`.",
    "kernel.*.wide": 'The elements of 32 bits: `"off"`, `"fp32"` or `"int32"`, or a list.',
    "kernel.*.quantize": "Whether results of wide activations are bytes.",
    "kernel.*.stack": "The bytes that the linker reserves for the stack of a core.",
    "kernel.*.contexts": "Values that belong together: `[{cr2 = 9, cr3 = 81}]`.",
    "kernel.*.run": "What a kernel is run with where nothing else is given.",
    "kernel.*.run.cr": "Values of configuration registers: `{0 = 0x0, 1 = 0x20000}`.",
    "kernel.*.run.lr": "Values of loop registers: `{5 = 3}`.",
    "kernel.*.run.registers": "Values of registers by name: `{r0 = 64, p0 = 0x70000}`.",
    "kernel.*.run.entry": "The function or label that is run, else the first function.",
    "kernel.*.run.args": 'Arguments by the calling convention: `["*0x70000", 64]`.',
    "kernel.*.run.load": 'Data that is loaded: `["image.npy@0x0", "random:7@0x20000:1152"]`.',
    "kernel.*.run.expect": 'Data that memory must have after the run: `["out.npy@0x40000"]`.',
    "kernel.*.run.define": "Values of template variables: `{taps = 3}`.",
}

_HEADER: Final = re.compile(r"^[ \t]*\[(?P<key>[^\[\]\n]*)(?P<close>\]?)", re.MULTILINE)
_PART: Final = re.compile(r"""\s*("[^"\n]*"?|'[^'\n]*'?|[^\s."'=]+)\s*\.?""")
_WORD: Final = re.compile(r"""["']?[\w*-]*$""")
_REST: Final = re.compile(r"""[\w-]*["']""")
_QUOTES: Final = ("'", '"')
_STRING: Final = re.compile(r"""["'][^"'\n]*["']?""")


class _Place(NamedTuple):
    """The table of a cursor, the span of the word there, and the key whose value it is in."""

    table: tuple[str, ...]
    span: Span
    key: str
    is_header: bool


def key_completions(text: str, offset: int) -> list[CompletionItem]:
    """Return the keys, tables or values that can be written at an offset of an `ipu.toml`."""
    place = _place_at(text, offset)
    if place is None:
        return []
    if place.key:
        field = _field((*place.table, place.key))
        return [_item(name, "", place.span, KEYWORD) for name in _values(field)]
    field = _field(place.table)
    return [*_keys(place, field)] if isinstance(field, Table) else []


def key_hover(text: str, offset: int) -> tuple[str, Span] | None:
    """Return what a key at an offset is for, with the values that it takes; None elsewhere."""
    start = text.rfind("\n", 0, offset) + 1
    end = (text + "\n").index("\n", start)
    header = _HEADER.match(text, start)
    begin, end = header.span("key") if header else (start, end)
    table = () if header else _table_before(text, start)
    path: list[str] = []
    equals = -1 if header else text.find("=", begin, end)
    for part in _PART.finditer(text, begin, end if equals < 0 else equals):
        path.append(part[1].strip("\"'"))
        if part.start(1) <= offset <= part.end(1):
            note = _note((*table, *path))
            return (note, Span(*part.span(1))) if note else None
    return None


def _note(path: tuple[str, ...]) -> str:
    name = ".".join(_pattern(path))
    field = _field(path)
    if field is None:
        return ""
    option = _option(field)
    lines = [f"`{'.'.join(path)}`", NOTES.get(name) or (option.summary if option else "")]
    values = [*_values(field)]
    if values:
        lines.append(f"One of {', '.join(f'`{value}`' for value in values)}.")
    return "\n\n".join(filter(None, lines)) if any(lines[1:]) else ""


def _place_at(text: str, offset: int) -> _Place | None:
    start = text.rfind("\n", 0, offset) + 1
    before = text[start:offset]
    if "#" in _STRING.sub("", before):
        return None
    word, rest = _WORD.search(before), _REST.match(text, offset)
    written = word[0] if word else ""
    is_quoted = written[:1] in _QUOTES and rest is not None
    span = Span(offset - len(written), rest.end() if is_quoted and rest else offset)
    if before.lstrip().startswith("[["):
        return None
    if before.lstrip().startswith("[") and "=" not in before:
        parts = _parts(before[: span.start - start].lstrip(" \t["))
        return None if "]" in before else _Place(parts, span, "", True)
    table = _table_before(text, start)
    key, equals, _ = before.partition("=")
    parts = _parts(key if equals else before[: span.start - start])
    if equals:
        return _Place((*table, *parts[:-1]), span, parts[-1], False) if parts else None
    return _Place((*table, *parts), span, "", False)


def _table_before(text: str, start: int) -> tuple[str, ...]:
    """Return the table that the lines before an offset are in."""
    found = [*_HEADER.finditer(text, 0, start)]
    return _parts(found[-1]["key"]) if found else ()


def _parts(key: str) -> tuple[str, ...]:
    """Return the parts of a dotted key without their quotes."""
    return tuple(part.strip("\"'") for part in _PART.findall(key))


def _field(path: tuple[str, ...]) -> Field | None:
    """Look up a dotted key in the schema of `ipu.toml`; None for an unknown key."""
    field: Field | None = schema()
    for part in path:
        if not isinstance(field, Table):
            return _of_globs(field) if field is not None and path[-1] == part else None
        field = field.each or field.fields.get(part)
    return field


def _of_globs(field: Field) -> Field | None:
    """Return the field of each glob of a table that is read as a whole."""
    return field.args[0] if isinstance(field, partial) and callable(field.args[0]) else None


def _option(field: Field | None) -> HostOption | None:
    """Return the option of the machine that a field sets."""
    is_option = isinstance(field, partial) and isinstance(field.args[0], list)
    return field.args[0][0] if is_option and isinstance(field, partial) else None


def _pattern(path: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts of a key as `NOTES` has them."""
    field: Field | None = schema()
    for part in path:
        is_any = isinstance(field, Table) and field.each is not None
        yield ANY if is_any else part
        if isinstance(field, Table):
            field = field.each or field.fields.get(part)


def _values(field: Field | None) -> Iterator[str]:
    if isinstance(field, OneOf):
        yield from (f'"{name}"' for name in field.names)
    option = _option(field)
    if field is flag or (option is not None and option.kind == "flag"):
        yield from ("true", "false")
    elif option is not None and isinstance(field, partial):
        yield from dict.fromkeys(f'"{name}"' for each in field.args[0] for name in each.choices)


def _keys(place: _Place, table: Table) -> Iterator[CompletionItem]:
    """Yield the keys of a table; in a header those that are tables."""
    for name, field in table.fields.items():
        is_table = isinstance(field, Table)
        if place.is_header and not is_table and _of_globs(field) is None:
            continue
        option = _option(field)
        note = NOTES.get(".".join(_pattern((*place.table, name)))) or (option and option.summary)
        plain = place.is_header or is_table
        yield _item(name, note or "", place.span, PARAMETER, name if plain else f"{name} = ")


def _item(label: str, note: str, span: Span, kind: str, text: str | None = None) -> CompletionItem:
    return CompletionItem(label, kind, note, label if text is None else text, span, label, label)
