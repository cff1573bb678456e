"""Edits of a configuration file that add a value and leave everything else as it is written.

`tomllib` only reads. Libraries that write TOML and keep its layout, such as tomlkit, would be one
more dependency for three insertions, each of which is proven by reading the edited text.
"""

from __future__ import annotations

import json
import os
import re
from typing import Callable, Iterator

from ipu_asm.config import Configuration
from ipu_asm.config.globs import path_matches
from ipu_asm.config.isa_choice import choose_isa
from ipu_asm.config.toml_settings import TomlLimitError, key_offsets, parse_settings
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span, TextEdit, apply_edits

_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_MARK = re.compile(
    r'#[^\n]*|"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[\[\]{},]'
    r"|[^\s\[\]{},#\"']+",
    re.DOTALL,
)
_GLOB_MARKS = re.compile(r"[*?\[\]]")


class _Group(NamedTuple):
    """A bracketed value: from its opening to its closing bracket, and the end of its last item."""

    span: Span
    last_end: int
    depth: int

    @property
    def is_empty(self) -> bool:
        return self.last_end <= self.span.start + 1


def add_define(text: str, configuration: Configuration, name: str) -> TextEdit | None:
    """Return the edit that defines a name as 1; None if it cannot be added to this text."""
    edit = _in_table(text, _table(configuration), "defines", f"{name} = 1")
    is_proven = _proven(text, configuration, [edit], lambda after: name in after.defines)
    return edit if is_proven else None


def add_context_name(
    text: str, configuration: Configuration, path: str, name: str
) -> list[TextEdit]:
    """Return the edits that give a name the value 1 in all contexts of a template.

    None are returned if that is impossible in this text.
    """
    glob = next((g for g, _ in configuration.templates if _fits(g, path, configuration)), None)
    if glob is None:
        relative = _relative(path, configuration.folder)
        if relative is None:
            return []
        header = _header(configuration, f"template.{json.dumps(relative)}")
        edits = [_appended(text, f"{header}\ncontexts = [{{{name} = 1}}]\n")]
    else:
        edits = _in_contexts(text, (*_table(configuration), "template", glob, "contexts"), name)

    def has_name(after: Configuration) -> bool:
        contexts = next((c for g, c in after.templates if _fits(g, path, after)), ())
        return bool(contexts) and all(name in context for context in contexts)

    return edits if _proven(text, configuration, edits, has_name) else []


def add_isa(
    text: str, configuration: Configuration, path: str, name: str, *, for_file: bool
) -> TextEdit | None:
    """Return the edit that chooses the instruction set of a file alone, or of all files.

    None if that is impossible in this text.
    """
    if for_file:
        relative = _relative(path, configuration.folder)
        if relative is None:
            return None
        line = f"{json.dumps(relative)} = {json.dumps(name)}"
        # The first glob that fits counts, so the line goes before the others.
        edit = _in_table(text, _table(configuration), "isa-by-glob", line)
    elif configuration.isa is not None:
        return None
    else:
        edit = _at_top(text, _table(configuration), f"isa = {json.dumps(name)}")

    def is_chosen(after: Configuration) -> bool:
        return choose_isa("", path, None, after).name == name

    return edit if _proven(text, configuration, [edit], is_chosen) else None


def add_include_path(
    text: str, configuration: Configuration, folder: str, others: tuple[str, ...] = ()
) -> TextEdit | None:
    """Return the edit that adds a folder to the include paths; None if that is impossible.

    `others` are added as well if there is no list yet, because a list replaces the default.
    """
    offset = _offsets(text).get((*_table(configuration), "include-paths"))
    if offset is None:
        value = ", ".join(json.dumps(each) for each in (*others, folder))
        line = f"include-paths = [{value}]"
        edit = _at_top(text, _table(configuration), line)
    else:
        groups = [group for group in _groups(text, offset) if group.depth == 0]
        if not groups:
            return None
        edit = _added(groups[0], json.dumps(folder))
    proof = _proven(text, configuration, [edit], lambda c: folder in (c.include_paths or ()))
    return edit if proof else None


def _proven(
    text: str,
    configuration: Configuration,
    edits: list[TextEdit],
    is_there: Callable[[Configuration], bool],
) -> bool:
    """Check by reading the edited text that it is valid and has what was added."""
    edited = apply_edits(text, edits)
    after, findings = parse_settings(edited, configuration.path, _table(configuration))
    return not findings and after is not None and is_there(after)


def _table(configuration: Configuration) -> tuple[str, ...]:
    return ("tool", "ipu") if configuration.path.endswith("pyproject.toml") else ()


def _header(configuration: Configuration, name: str) -> str:
    return f"[{'.'.join((*_table(configuration), name))}]"


def _offsets(text: str) -> dict[tuple[str, ...], int]:
    try:
        return key_offsets(text)
    except TomlLimitError:
        return {}


def _in_table(text: str, table: tuple[str, ...], name: str, line: str) -> TextEdit:
    """Return the insertion of a line below the header of a table, or with a new one at the end."""
    dotted = r"[ \t]*\.[ \t]*".join(map(re.escape, (*table, name)))
    header = re.search(rf"^[ \t]*\[[ \t]*{dotted}[ \t]*\][^\n]*(?:\n|\Z)", text, re.MULTILINE)
    if header is None:
        return _appended(text, f"[{'.'.join((*table, name))}]\n{line}\n")
    lead = "" if header[0].endswith("\n") else "\n"
    return TextEdit(Span(header.end(), header.end()), f"{lead}{line}\n")


def _at_top(text: str, table: tuple[str, ...], line: str) -> TextEdit:
    """Return the insertion of a line among the keys of the table of all settings."""
    if table:
        before, _, name = ".".join(table).rpartition(".")
        return _in_table(text, tuple(before.split(".")), name, line)
    match = _HEADER.search(text)
    at = match.start() if match else len(text)
    lead = "\n" if at and text[at - 1] != "\n" else ""
    return TextEdit(Span(at, at), f"{lead}{line}\n")


def _appended(text: str, table: str) -> TextEdit:
    lead = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return TextEdit(Span(len(text), len(text)), lead + table)


def _in_contexts(text: str, key: tuple[str, ...], name: str) -> list[TextEdit]:
    offset = _offsets(text).get(key)
    groups = [] if offset is None else list(_groups(text, offset))
    tables = [group for group in groups if group.depth == 1]
    if tables:
        return [_added(group, f"{name} = 1") for group in tables]
    return [_added(group, f"{{{name} = 1}}") for group in groups[-1:]]


def _added(group: _Group, item: str) -> TextEdit:
    """Return the insertion of an item after the last one of a bracketed value."""
    start = group.span.start + 1 if group.is_empty else group.last_end
    return TextEdit(Span(start, start), item if group.is_empty else f", {item}")


def _groups(text: str, offset: int) -> Iterator[_Group]:
    """Yield the bracketed values of the key at an offset, each when it ends."""
    opened: list[tuple[int, int]] = []
    for match in _MARK.finditer(text, text.find("=", offset) + 1):
        mark = match[0]
        if mark in "[{":
            opened.append((match.start(), match.end()))
        elif not opened:
            return
        elif mark in "]}":
            start, last_end = opened.pop()
            yield _Group(Span(start, match.end()), last_end, len(opened))
            if not opened:
                return
            opened[-1] = (opened[-1][0], match.end())
        elif mark[0] not in "#,":
            opened[-1] = (opened[-1][0], match.end())


def _fits(glob: str, path: str, configuration: Configuration) -> bool:
    return path_matches(glob, path, configuration.folder)


def _relative(path: str, folder: str) -> str | None:
    """Return the path of a file as a glob that matches it alone; None if there is none."""
    relative = os.path.relpath(path, folder).replace(os.sep, "/")
    return None if relative.startswith("../") or _GLOB_MARKS.search(relative) else relative
