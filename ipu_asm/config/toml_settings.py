"""From the text of a configuration file to a `Configuration` and to findings about its keys.

By hand: msgspec stops at the first mistake; cattrs reports all but would need a hook for each of
our sentences, which are most of this module, and 30 ms to import, half a run on a small file.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import partial
from typing import Any, Callable, Mapping, Sequence

from ipu_asm.config.configuration import (
    FAIL_LEVELS,
    FORMAT_STYLES,
    MNEMONIC_CASES,
    Configuration,
    ConfigurationFinding,
    KernelRun,
    line_finding,
)
from ipu_asm.config.kernel_keys import (
    configurations,
    kernel_contexts,
    kernel_run,
    quantize_values,
    registers_of,
    run_settings,
    wide_modes,
)
from ipu_asm.config.setting_error import SettingError, shortened, shown
from ipu_asm.config.source_keys import (
    MOST_DEFINES,
    MOST_FOLDERS,
    MOST_READ,
    MOST_TEMPLATE_GLOBS,
    check_name,
    contexts,
    define_value,
    include_folders,
    include_paths,
)
from ipu_asm.diagnostics import Severity
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.isa import available_isas, manifests

_MOST_GLOBS = 1_000
_LONGEST_GLOB = 1_000
# How `tomllib` says where it stopped; before Python 3.14 its error has no attribute for the line.
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)


def parse_settings(
    text: str, path: str, table: tuple[str, ...] = ()
) -> tuple[Configuration | None, list[ConfigurationFinding]]:
    """The configuration in a table of a TOML text, and all findings about it.

    The configuration is None where there are findings, and where the text has no such table.
    """
    try:
        offsets = key_offsets(text)
        settings: Any = tomllib.loads(text)
    except TomlLimitError as error:
        return None, [line_finding(str(error), text, path, error.offset)]
    except ValueError as error:
        return None, [_syntax_finding(text, path, str(error))]
    for name in table:
        settings = settings.get(name) if isinstance(settings, dict) else None
    if settings is None:
        return None, []
    reader = _Reader(text, path, table, offsets)
    configuration = reader.configuration(settings)
    return (None if reader.findings else configuration), reader.findings


def _syntax_finding(text: str, path: str, message: str) -> ConfigurationFinding:
    match = _PLACE.fullmatch(message)
    reason, line = (match[1], match[2]) if match else (message, None)
    offset = len(text.rstrip("\n")) if line is None else _line_start(text, int(line))
    reason = shortened(reason[:1].lower() + reason[1:], 200)
    return line_finding(reason, text, path, offset)


def _line_start(text: str, line: int) -> int:
    """The offset of a 1-based line."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start


class _Reader:
    """Converts the tables of a file to a `Configuration` and collects findings about them."""

    def __init__(self, text: str, path: str, table: tuple[str, ...], offsets: KeyOffsets) -> None:
        self.text = text
        self.path = path
        self.table = table
        self.offsets = offsets
        self.findings: list[ConfigurationFinding] = []

    def configuration(self, settings: Any) -> Configuration:
        """The configuration, without the settings that have findings."""
        folder = os.path.dirname(os.path.abspath(self.path))
        values: dict[str, Any] = {"path": self.path, "folder": folder}
        values.update(self._table((), settings, {**_SETTINGS, **_TABLES}))
        values.update(self._table(("lint",), values.pop("lint", {}), _LINT_SETTINGS))
        if "memory" in values:
            values["memory"] = self._table(("memory",), values["memory"], _memory_settings())
        message = _unusable_folders(values.get("include_paths", ()), folder)
        if message:
            self._find((), ("include-paths",), message)
        if "defines" in values:
            values["defines"] = self._defines(values["defines"])
        if "template" in values:
            values["templates"] = self._templates(values.pop("template"))
        if "kernel" in values:
            values["kernels"], values["runs"] = self._kernels(values.pop("kernel"))
        layout = self._table(("format",), values.pop("format", {}), _FORMAT_SETTINGS)
        if "style" in layout:
            layout["format_style"] = layout.pop("style")
        values.update(layout)
        return Configuration(**values)

    def _table(
        self, name: tuple[str, ...], table: Any, known: Mapping[str, Callable[[Any], Any]]
    ) -> dict[str, Any]:
        """The values of a table by the fields of `Configuration`; the others become findings."""
        values: dict[str, Any] = {}
        if not isinstance(table, dict):
            self._find(name[:-1], name[-1:], f"expected a table, found {shown(table)}")
            return values
        for key, value in table.items():
            if key not in known:
                meant = nearest_of(key, known)
                hint = f"did you mean `{meant}`?" if meant else f"there are {', '.join(known)}"
                self._find(name, (key,), f"unknown key; {hint}")
                continue
            try:
                values[key.replace("-", "_")] = known[key](value)
            except SettingError as error:
                self._find(name, (key,), str(error))
        return values

    def _defines(self, table: Any) -> dict[str, Any]:
        """The names of ``[defines]`` with their values."""
        values: dict[str, Any] = {}
        if not isinstance(table, dict) or len(table) > MOST_DEFINES:
            found = f"{len(table):,} names" if isinstance(table, dict) else shown(table)
            message = f"expected a table of at most {MOST_DEFINES:,} names, found {found}"
            self._find((), ("defines",), message)
            return values
        for name, value in table.items():
            try:
                check_name(name)
                values[name] = define_value(value)
            except SettingError as error:
                self._find(("defines",), (name,), str(error))
        return values

    def _templates(self, table: Any) -> tuple[tuple[str, Any], ...]:
        """The contexts of each glob in ``[template."GLOB"]``."""
        settings = self._by_glob("template", table, {"contexts": contexts})
        return tuple((glob, values.get("contexts", ())) for glob, values in settings.items())

    def _kernels(
        self, table: Any
    ) -> tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, KernelRun], ...]]:
        """The configurations of each glob in ``[kernel."GLOB"]``, and the runs, where they are."""
        found, runs = [], []
        for glob, values in self._by_glob("kernel", table, _KERNEL_SETTINGS).items():
            run = values.pop("run", None)
            try:
                found.append((glob, configurations(values)))
            except SettingError as error:
                self._find(("kernel",), (glob,), str(error))
            if run is not None:
                given = self._table(("kernel", glob, "run"), run, run_settings())
                runs.append((glob, kernel_run(given)))
        return tuple(found), tuple(runs)

    def _by_glob(
        self, name: str, table: Any, known: Mapping[str, Callable[[Any], Any]]
    ) -> dict[str, dict[str, Any]]:
        """The tables of globs of a table."""
        try:
            by_glob = _table_of(_any_value, table, MOST_TEMPLATE_GLOBS)
        except SettingError as error:
            self._find((), (name,), str(error))
            return {}
        return {glob: self._table((name, glob), by_glob[glob], known) for glob in by_glob}

    def _find(self, table: tuple[str, ...], key: tuple[str, ...], message: str) -> None:
        full = (*self.table, *table, *key)
        name = shortened(".".join(full[len(self.table) :] or full))
        offset = self._offset_of(full)
        self.findings.append(line_finding(f"`{name}`: {message}", self.text, self.path, offset))

    def _offset_of(self, key: tuple[str, ...]) -> int:
        """The offset at which a key, the first one below it, or its table is written."""
        while key and key not in self.offsets:
            key = key[:-1]
        return self.offsets.get(key, 0)


def _unusable_folders(paths: Sequence[str], base: str) -> str:
    """The message about folders that are too many or too wide; empty for usable ones."""
    folders, is_complete = include_folders(paths, base)
    if not is_complete:
        limits = f"at most {MOST_FOLDERS} folders, among {MOST_READ:,} others"
        return f"expected globs of {limits}, found more"
    if any(folder == os.path.dirname(folder) for folder in folders):
        return "expected folders of headers, found the root of the file system"
    return ""


def _any_value(value: Any) -> Any:
    return value


def _one_of(names: Sequence[str], value: Any) -> str:
    if isinstance(value, str) and value in names:
        return value
    meant = nearest_of(value, names) if isinstance(value, str) else None
    hint = f"; did you mean `{meant}`?" if meant else ""
    raise SettingError(f"expected one of {', '.join(names)}, found {shown(value)}{hint}")


def _isa(value: Any) -> str:
    return _one_of(available_isas(), value)


def _level(value: Any) -> Severity:
    return FAIL_LEVELS[_one_of(tuple(FAIL_LEVELS), value)]


def _style(value: Any) -> str:
    return _one_of(FORMAT_STYLES, value)


def _case(value: Any) -> str:
    return _one_of(MNEMONIC_CASES, value)


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise SettingError(f'expected a list of strings such as ["E101", "W"], found {shown(value)}')


def _table_of(read: Callable[[Any], Any], value: Any, most: int = _MOST_GLOBS) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SettingError(f"expected a table of globs, found {shown(value)}")
    if len(value) > most:
        raise SettingError(f"expected at most {most:,} globs, found {len(value):,}")
    values = {}
    for glob, item in value.items():
        _check_length(glob)
        try:
            values[glob] = read(item)
        except SettingError as error:
            raise SettingError(f'"{shortened(glob)}": {error}') from error
    return values


def _globs(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingError(f'expected a list of globs such as ["build"], found {shown(value)}')
    if len(value) > _MOST_GLOBS:
        raise SettingError(f"expected at most {_MOST_GLOBS:,} globs, found {len(value):,}")
    for glob in value:
        _check_length(glob)
    return tuple(value)


def _check_length(glob: str) -> None:
    if len(glob) > _LONGEST_GLOB:
        raise SettingError(f"a glob has at most {_LONGEST_GLOB:,} characters, found {len(glob):,}")


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise SettingError(f"expected true or false, found {shown(value)}")


def _isas_by_glob(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple(_table_of(_isa, value).items())


def _strings_by_glob(value: Any) -> dict[str, Any]:
    return _table_of(_strings, value)


_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "isa": _isa,
    "isa-by-glob": _isas_by_glob,
    "include-paths": include_paths,
    "exclude": _globs,
    "extend-exclude": _globs,
    "respect-gitignore": _flag,
}
_TABLES: Mapping[str, Callable[[Any], Any]] = {
    "lint": _any_value,
    "format": _any_value,
    "memory": _any_value,
    "defines": _any_value,
    "template": _any_value,
    "kernel": _any_value,
}
_KERNEL_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "cr": partial(registers_of, "cr"),
    "lr": partial(registers_of, "lr"),
    "wide": wide_modes,
    "quantize": quantize_values,
    "contexts": kernel_contexts,
    "run": _any_value,
}
_LINT_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "select": _strings,
    "extend-select": _strings,
    "ignore": _strings,
    "per-file-ignores": _strings_by_glob,
    "fail-level": _level,
}
_FORMAT_SETTINGS: Mapping[str, Callable[[Any], Any]] = {"style": _style, "mnemonic-case": _case}


def _memory_settings() -> Mapping[str, Callable[[Any], Any]]:
    return {
        name: partial(_one_of, manifest.memories)
        for name, manifest in manifests().items()
        if manifest.memories
    }


MOST_DEPTH = 50
MOST_PARTS = 32
MOST_DIGITS = 64
KeyOffsets = dict[tuple[str, ...], int]
"""The offset at which a key, or the first one below it, is written."""

_TOKEN = re.compile(
    r'''(?P<blank>[ \t\r]+|\#[^\n]*)
      | (?P<newline>\n)
      | (?P<string>"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z) | \'\'\'.*?(?:'{3,5}|\Z)
          | "[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"? | '[^'\n]*'?)
      | (?P<open>[\[{]) | (?P<close>[\]}]) | (?P<equals>=) | (?P<mark>[.,])
      | (?P<word>[^\s\[\]{}=.,"'#]+) | (?P<other>.)''',
    re.VERBOSE | re.DOTALL,
)


class TomlLimitError(Exception):
    """A text beyond a limit: the message says which limit, `offset` where."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


def key_offsets(text: str) -> KeyOffsets:
    """The offsets of all keys outside of inline tables. Raises `TomlLimitError`.

    Exact for valid TOML; after a syntax error offsets may be missing.
    """
    scanner = _Scanner()
    for token in _TOKEN.finditer(text):
        scanner.take(token)
    return scanner.offsets


class _Scanner:
    """Reads token after token. A statement is a key with its value, or the header of a table."""

    def __init__(self) -> None:
        self.offsets: KeyOffsets = {}
        self._table: tuple[str, ...] = ()
        self._depth = 0
        self._key: list[str] = []
        self._start = 0
        self._is_header = False
        self._is_value = False

    def take(self, token: re.Match[str]) -> None:
        """Process the next token of the text."""
        kind = token.lastgroup
        if kind == "newline" and self._depth == 0:
            self._end()
        elif self._is_value:
            self._take_value(kind, token)
        elif kind in ("word", "string"):
            self._take_part(token)
        elif kind == "open" and not self._key:
            self._is_header = True
        elif kind == "equals":
            self._end_key()
            self._is_value = True

    def _end(self) -> None:
        if self._is_header:
            self._table = ()
            self._end_key()
            self._table = tuple(self._key)
        self._key = []
        self._is_header = self._is_value = False

    def _take_part(self, token: re.Match[str]) -> None:
        if not self._key:
            self._start = token.start()
        self._key.append(token[0].strip("\"'"))
        if len(self._key) > MOST_PARTS:
            raise TomlLimitError(token.start(), f"a key has at most {MOST_PARTS} parts, found more")

    def _end_key(self) -> None:
        full = (*self._table, *self._key)
        for length in range(1, len(full) + 1):
            self.offsets.setdefault(full[:length], self._start)

    def _take_value(self, kind: str | None, token: re.Match[str]) -> None:
        if kind == "open":
            self._depth += 1
            if self._depth > MOST_DEPTH:
                message = f"arrays and tables nest at most {MOST_DEPTH} deep, found more"
                raise TomlLimitError(token.start(), message)
        elif kind == "close":
            self._depth = max(0, self._depth - 1)
        elif kind == "word" and len(token[0]) > MOST_DIGITS and token[0].lstrip("+-")[:1].isdigit():
            found = len(token[0])
            message = f"a number has at most {MOST_DIGITS} characters, found {found:,}"
            raise TomlLimitError(token.start(), message)
