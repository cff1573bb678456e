"""Configuration files: which file applies to a folder, and reading it within bounds.

A file is an `ipu.toml`, or a `pyproject.toml` with a table `[tool.ipu]`.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from typing import Iterable, Iterator

from ipu_asm.config import (
    Configuration,
    ConfigurationError,
    ConfigurationFinding,
    line_finding,
    listed,
)
from ipu_asm.config.files import FileError, Target, read_beginning
from ipu_asm.named_tuple import NamedTuple

FILE_NAMES = ("ipu.toml", "pyproject.toml")
"""In the order of precedence within one folder."""
MOST_BYTES = 1 << 18
"""The largest configuration, in bytes: reading and checking it takes half a second."""


class ConfigurationFile(NamedTuple):
    """A configuration file as read: its text, and its configuration or the findings about it.

    A `pyproject.toml` without a table `[tool.ipu]` has neither.
    `total` is the number of all findings, of which `findings` lists the first.
    """

    text: str
    configuration: Configuration | None
    findings: tuple[ConfigurationFinding, ...] = ()
    total: int = 0

    def usable(self) -> Configuration | None:
        """The configuration, None if there is no file. Raises ConfigurationError on findings."""
        if self.findings:
            raise ConfigurationError(self.findings, self.total)
        return self.configuration


class Configurations:
    """The configuration of each folder, read at the first request and then remembered."""

    def __init__(self) -> None:
        self._by_folder: dict[str, Configuration | ConfigurationError | None] = {}

    def nearest(self, folder: str) -> Configuration | None:
        """The configuration of an absolute folder, or of the nearest one above that has one.

        Raises `ConfigurationError`, at every request for a file with mistakes.
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
        """The files that were read and apply to some folder, including those with mistakes."""
        return {found.path for found in self._by_folder.values() if found is not None}

    def forget(self) -> None:
        """Read each file again at the next request: one was changed, created or deleted."""
        self._by_folder.clear()


def possible_files(folders: Iterable[str]) -> Iterator[str]:
    """The paths of all files that could configure absolute folders, nearest first, each once.

    Whether the files exist is not looked at.
    """
    seen: set[str] = set()
    for folder in folders:
        while folder not in seen:
            seen.add(folder)
            yield from (os.path.join(folder, name) for name in FILE_NAMES)
            folder = os.path.dirname(folder)


def read_configuration(path: str) -> ConfigurationFile:
    """Read a configuration file. Never raises: what is wrong with it are its findings."""
    try:
        content = read_beginning(Target(path), MOST_BYTES + 1).removeprefix(BOM_UTF8)
    except FileError as error:
        return _unusable("", ConfigurationFinding(error.reason, path))
    # Reading TOML costs as much as linting a file: only where there is something to find.
    if _is_project(path) and b"ipu" not in content:
        return ConfigurationFile("", None)
    if len(content) > MOST_BYTES:
        text = content[:MOST_BYTES].decode("utf-8", "replace")
        message = f"a configuration has at most {MOST_BYTES:,} bytes, found more"
        return _unusable(text, line_finding(message, text, path, 0))
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        text, before = content.decode("utf-8", "replace"), content[: error.start].decode()
        message = f"expected UTF-8, found the byte 0x{content[error.start]:02X}"
        return _unusable(text, line_finding(message, text, path, len(before)))
    return _parsed(text, path)


def _unusable(text: str, finding: ConfigurationFinding) -> ConfigurationFile:
    return ConfigurationFile(text, None, (finding,), 1)


def _parsed(text: str, path: str) -> ConfigurationFile:
    from ipu_asm.config.toml_settings import parse_settings  # tomllib: most runs find no file

    table = ("tool", "ipu") if _is_project(path) else ()
    configuration, findings = parse_settings(text, path, table)
    return ConfigurationFile(text, configuration, listed(findings, text=text), len(findings))


def _configuration_in(folder: str) -> Configuration | ConfigurationError | None:
    """The result of reading the files of one folder."""
    for name in FILE_NAMES:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            try:
                found = read_configuration(path).usable()
            except ConfigurationError as error:
                return error
            if found is not None:
                return found
    return None


def _is_project(path: str) -> bool:
    return os.path.basename(path) == "pyproject.toml"
