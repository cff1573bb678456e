"""What a project says in `ipu.toml`, or in `pyproject.toml` under `[tool.ipu]`.

isa = "ipu"                      # the instruction set of all files below this folder
[isa-by-glob]
"kernels/npu/*.s" = "edgenpu"    # first match wins; both count before file extensions do
[memory]
colossus = "gc200"               # the machine whose memory counts: gc200 or gc2
[lint]
select = ["E", "W"]              # codes, names or prefixes of codes
extend-select = ["H301"]
ignore = ["unused-label"]
fail-level = "warning"           # error, warning or hint
[lint.per-file-ignores]
"tests/**" = ["W"]
[format]
style = "keep"                   # keep, instruction or bundle: how many instructions a line
"""

from __future__ import annotations

import os
from typing import Iterable, Iterator, Mapping, NamedTuple, Sequence

from ipu_asm.config.files import FileError, Target, read_beginning
from ipu_asm.diagnostics import Severity

FAIL_LEVELS: Mapping[str, Severity] = {severity.label: severity for severity in Severity}
FORMAT_STYLES = ("keep", "instruction", "bundle")
"""Lines as the author has chosen, one instruction a line, one bundle a line."""
FILE_NAMES = ("ipu.toml", "pyproject.toml")
"""In the order in which a folder's files are asked."""
MOST_MISTAKES = 100
"""Of those in one file, so many are listed; the others are counted."""
MOST_BYTES = 1 << 18
"""No configuration is larger: so much is read and checked in half a second."""


class Configuration(NamedTuple):
    """One file's settings; all are optional. Globs are relative to `folder`."""

    path: str = ""
    folder: str = ""
    isa: str | None = None
    isa_by_glob: tuple[tuple[str, str], ...] = ()
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, Sequence[str]] = {}
    fail_level: Severity | None = None
    format_style: str | None = None
    memory: Mapping[str, str] = {}

    @property
    def names_rules(self) -> bool:
        """Whether it says which findings are wanted."""
        return bool(self.select or self.extend_select or self.ignore or self.per_file_ignores)


class ConfigurationError(Exception):
    """A file that cannot be used; `mistakes` has every one as ``path:line: sentence``.

    Of more than `MOST_MISTAKES`, the rest is one line that counts them; `count` is that of all.
    """

    def __init__(self, path: str, mistakes: Sequence[str], count: int = 0) -> None:
        self.path = path
        self.count = max(count, len(mistakes))
        self.mistakes = tuple(mistakes[:MOST_MISTAKES])
        left_out = self.count - len(self.mistakes)
        if left_out:
            noun = "mistake" if left_out == 1 else "mistakes"
            place = f"{path}: " if path else ""
            self.mistakes += (f"{place}{left_out:,} more {noun}",)
        super().__init__("; ".join(self.mistakes))


class Configurations:
    """The configuration of every folder, read when it is first asked for and then remembered."""

    def __init__(self) -> None:
        self._by_folder: dict[str, Configuration | ConfigurationError | None] = {}

    def nearest(self, folder: str) -> Configuration | None:
        """What counts in an absolute folder: that of itself or of the nearest one above it.

        Raises `ConfigurationError`, every time that it is asked about a broken file.
        """
        unknown = []
        while folder not in self._by_folder:
            unknown.append(folder)
            parent = os.path.dirname(folder)
            found = _configuration_in(folder)
            if found is not None or parent == folder:
                self._by_folder[folder] = found
                break
            folder = parent
        found = self._by_folder[folder]
        self._by_folder.update(dict.fromkeys(unknown, found))
        if isinstance(found, ConfigurationError):
            raise found
        return found

    def files(self) -> set[str]:
        """The files that were read and count, broken ones among them."""
        return {found.path for found in self._by_folder.values() if found is not None}

    def forget(self) -> None:
        """Read everything anew when it is next asked for: a file has changed, come or gone."""
        self._by_folder.clear()


def possible_files(folders: Iterable[str]) -> Iterator[str]:
    """The files that may tell about absolute folders, nearest first, each once, there or not."""
    seen: set[str] = set()
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            yield from (os.path.join(folder, name) for name in FILE_NAMES)
            folder = os.path.dirname(folder)


def read_configuration(path: str) -> Configuration | None:
    """The configuration in a file; None for a `pyproject.toml` that says nothing about us.

    Raises `ConfigurationError`.
    """
    text = configuration_text(path)
    return None if text is None else configuration_of(text, path)


def configuration_text(path: str) -> str | None:
    """What a configuration file says; None for a `pyproject.toml` that says nothing about us.

    Raises `ConfigurationError`.
    """
    try:
        content = read_beginning(Target(path), MOST_BYTES + 1)
    except FileError as error:
        raise ConfigurationError(path, [str(error)]) from error
    # Reading TOML costs as much as linting a file: only where there is something to find.
    if _is_project(path) and b"ipu" not in content:
        return None
    if len(content) > MOST_BYTES:
        message = f"{path}:1: a configuration has at most {MOST_BYTES:,} bytes, found more"
        raise ConfigurationError(path, [message])
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line, byte = 1 + content.count(b"\n", 0, error.start), content[error.start]
        message = f"{path}:{line}: expected UTF-8, found the byte 0x{byte:02X}"
        raise ConfigurationError(path, [message]) from error


def configuration_of(text: str, path: str) -> Configuration | None:
    """The configuration in the text of a file. Raises `ConfigurationError`."""
    from ipu_asm.config.configuration_file import parse_configuration  # most runs find no file

    return parse_configuration(text, path, ("tool", "ipu") if _is_project(path) else ())


def _configuration_in(folder: str) -> Configuration | ConfigurationError | None:
    """What the files in one folder say."""
    try:
        for name in FILE_NAMES:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (found := read_configuration(path)) is not None:
                return found
    except ConfigurationError as error:
        return error
    return None


def _is_project(path: str) -> bool:
    return os.path.basename(path) == "pyproject.toml"
