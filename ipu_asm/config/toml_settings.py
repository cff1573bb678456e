"""From the text of a configuration file to a `Configuration` and to findings about its keys.

`tomllib` gives values without offsets, its recursion ends at about 300 brackets, integers of 4,301
digits raise a bare `ValueError`, and a key of n parts takes time n squared. So `key_offsets` reads
the text first: it finds the offsets of keys, and refuses what is beyond limits.
"""

from __future__ import annotations

import os
import re
import tomllib
from functools import partial
from typing import Any, Callable, Mapping

from ipu_asm.config import (
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
    run_fields,
    stack_bytes,
    wide_modes,
)
from ipu_asm.config.schema import (
    Field,
    Mistake,
    OneOf,
    SettingError,
    Table,
    flag,
    list_of_strings,
    read_table,
    shortened,
    shown,
)
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
from ipu_asm.isa import available_isas, manifests

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

_MAX_GLOBS = 1_000
_MAX_GLOB_LENGTH = 1_000
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
    folder = os.path.dirname(os.path.abspath(path))
    mistakes: list[Mistake] = []
    values = read_table(schema(folder), settings, mistakes)
    if mistakes:
        return None, [_finding(each, text, path, table, offsets) for each in mistakes]
    return _configuration(path, folder, values), []


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


def _finding(
    mistake: Mistake, text: str, path: str, table: tuple[str, ...], offsets: KeyOffsets
) -> ConfigurationFinding:
    """The finding at the key, the first one below it, or the table in which it is written."""
    written = (*table, *mistake.place)
    name = shortened(".".join(mistake.place or written))
    while written and written not in offsets:
        written = written[:-1]
    return line_finding(f"`{name}`: {mistake.error}", text, path, offsets.get(written, 0))


def schema(folder: str = "") -> Table:
    """The tables and keys of a configuration in a folder."""
    isa, strings = (
        OneOf(available_isas()),
        list_of_strings('a list of strings such as ["E101", "W"]'),
    )
    lint: dict[str, Field] = {
        "select": strings,
        "extend-select": strings,
        "ignore": strings,
        "per-file-ignores": partial(_by_glob, strings),
        "fail-level": OneOf([*FAIL_LEVELS], FAIL_LEVELS.__getitem__),
    }
    kernel: dict[str, Field] = {
        "cr": partial(registers_of, "cr"),
        "lr": partial(registers_of, "lr"),
        "wide": wide_modes,
        "quantize": quantize_values,
        "stack": stack_bytes,
        "contexts": kernel_contexts,
        "run": Table(run_fields(), make=kernel_run),
    }
    memories = {name: each.memories for name, each in manifests().items() if each.memories}
    return Table(
        {
            "isa": isa,
            "isa-by-glob": partial(_by_glob, isa),
            "include-paths": partial(_include_paths, folder),
            "exclude": _globs,
            "extend-exclude": _globs,
            "respect-gitignore": flag,
            "lint": Table(lint),
            "format": Table(
                {"style": OneOf(FORMAT_STYLES), "mnemonic-case": OneOf(MNEMONIC_CASES)}
            ),
            "memory": Table({name: OneOf(choices) for name, choices in memories.items()}),
            "defines": Table(each=define_value, check=_check_defines, check_key=check_name),
            "template": Table(each=Table({"contexts": contexts}), check=_check_globs),
            "kernel": Table(each=Table(kernel, make=_kernel), check=_check_globs),
        }
    )


def _configuration(path: str, folder: str, values: Mapping[str, Any]) -> Configuration:
    lint, layout, kernels = (values.get(name, {}) for name in ("lint", "format", "kernel"))
    templates = values.get("template", {}).items()
    same = ("isa", "include-paths", "exclude", "extend-exclude", "respect-gitignore")
    plain = {key: values[key] for key in (*same, "memory", "defines") if key in values}
    return Configuration(
        path,
        folder,
        isa_by_glob=tuple(values.get("isa-by-glob", {}).items()),
        format_style=layout.get("style"),
        mnemonic_case=layout.get("mnemonic-case"),
        templates=tuple((glob, each.get("contexts", ())) for glob, each in templates),
        kernels=tuple((glob, found) for glob, (found, _) in kernels.items()),
        runs=tuple((glob, run) for glob, (_, run) in kernels.items() if run is not None),
        **{key.replace("-", "_"): value for key, value in {**plain, **lint}.items()},
    )


def _kernel(values: dict[str, Any]) -> tuple[tuple[Mapping[str, int], ...], KernelRun | None]:
    """The configurations of a kernel, and its run, where it has one."""
    return configurations(values), values.get("run")


def _include_paths(folder: str, value: Any) -> tuple[str, ...]:
    """Paths and globs that mean not too many folders, and none too wide."""
    paths = include_paths(value)
    folders, is_complete = include_folders(paths, folder)
    if not is_complete:
        limits = f"at most {MOST_FOLDERS} folders, among {MOST_READ:,} others"
        raise SettingError(f"expected globs of {limits}, found more")
    if any(each == os.path.dirname(each) for each in folders):
        raise SettingError("expected folders of headers, found the root of the file system")
    return paths


def _check_defines(table: Any) -> None:
    if not isinstance(table, dict) or len(table) > MOST_DEFINES:
        found = f"{len(table):,} names" if isinstance(table, dict) else shown(table)
        message = f"expected a table of at most {MOST_DEFINES:,} names, found {found}"
        raise SettingError(message)


def _check_globs(table: Any, most: int = MOST_TEMPLATE_GLOBS) -> None:
    if not isinstance(table, dict):
        raise SettingError("expected a table of globs", table)
    _check_glob_lengths([*table], most)


def _check_glob_lengths(globs: list[str], most: int = _MAX_GLOBS) -> None:
    if len(globs) > most:
        raise SettingError(f"expected at most {most:,} globs, found {len(globs):,}")
    longest = max(map(len, globs), default=0)
    if longest > _MAX_GLOB_LENGTH:
        raise SettingError(f"a glob has at most {_MAX_GLOB_LENGTH:,} characters, found {longest:,}")


def _by_glob(field: Callable[[Any], Any], table: Any) -> dict[str, Any]:
    _check_globs(table, _MAX_GLOBS)
    values = {}
    for glob, item in table.items():
        try:
            values[glob] = field(item)
        except SettingError as error:
            raise SettingError(f'"{shortened(glob)}": {error}') from error
    return values


def _globs(value: Any) -> tuple[str, ...]:
    globs = list_of_strings('a list of globs such as ["build"]')(value)
    _check_glob_lengths([*globs])
    return globs


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
