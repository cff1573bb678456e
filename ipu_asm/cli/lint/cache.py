"""Results of earlier runs, kept in the folder `.ipu_cache` beside the configuration.

There is one file for each folder of sources. Its first line holds a digest of all that follows and
of the program that wrote it; each other line is the name of a source and, as JSON, its result. A
result counts while the text, the settings and all headers are as they were, those included that
were looked for and not found. A file is replaced as a whole, so parallel runs lose results at
worst. What cannot be read or written is left alone: the cache never changes what a run prints.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Mapping

from ipu_asm.cli.lint.digests import digest, digest_of_file
from ipu_asm.cli.lint.findings_json import findings_of_json, json_of_findings
from ipu_asm.cli.lint.found import Found
from ipu_asm.cli.lint.tool_stamp import tool_stamp
from ipu_asm.config.files import FileError
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.disk_reader import DiskReader
from ipu_asm.text import SourceFile

if TYPE_CHECKING:
    from ipu_asm.config.configuration import Configuration
    from ipu_asm.config.files import Target
    from ipu_asm.config.isa_choice import IsaChoice
    from ipu_asm.source.expansion import SourceSettings

FOLDER = ".ipu_cache"

_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Results of ipu-lint, safe to delete. See https://bford.info/cachedir/ about this file.\n"
)
_IGNORE = "# Written by ipu-lint.\n*\n"
_DAY_S = 24 * 60 * 60
_MOST_DAYS = 30
"""Results of a folder that no run has asked for are removed after so many days."""
_SUFFIX = ".json"
_LARGEST_ENTRY = 1 << 20
_LARGEST_FILE = 1 << 24


class Question(NamedTuple):
    """A file whose result is asked for: its root, its absolute path, and digests of the rest."""

    root: str
    path: str
    text: str
    settings: str


class Cache:
    """The results of earlier runs, and those that this run adds."""

    def __init__(self) -> None:
        self._shards: dict[str, _Shard] = {}
        self._digests: dict[str, str | None] = {}

    def question(
        self,
        target: Target,
        text: str,
        configuration: Configuration,
        known: tuple[IsaChoice, SourceSettings],
    ) -> Question:
        """Return the question about a file; `known` is all else that its analysis depends on."""
        choice, settings = known
        parts = (
            target.name,
            os.getcwd(),
            choice.name,
            choice.is_explicit,
            configuration.memory.get(choice.name or DEFAULT_ISA, ""),
            *(value for field, value in zip(settings._fields, settings) if field != "reader"),
        )
        path = os.path.abspath(target.name)
        root = configuration.folder or os.getcwd()
        return Question(root, path, digest(text), digest(repr(parts)))

    def find(self, question: Question, *, is_asked_for: bool) -> Found | None:
        """Return the result of a file if it still holds."""
        with suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
            entry = self._shard(question).entry(os.path.basename(question.path))
            if entry is not None and self._holds(entry, question):
                found = _found_of(entry)
                if not is_asked_for:
                    return found._replace(empty=None)
                return None if found.empty is None else found
        return None

    def add(self, question: Question, found: Found) -> None:
        """Keep a result until `write`, unless it is large."""
        entry = {
            "text": question.text,
            "settings": question.settings,
            "findings": json_of_findings(found.findings),
            "empty": None if found.empty is None else json_of_findings(found.empty),
            "headers": {path: source.path for path, source in found.headers.items()},
            "header_paths": sorted(found.header_paths),
            "read": dict(found.read),
        }
        line = json.dumps(entry)
        if len(line) <= _LARGEST_ENTRY:
            self._shard(question).added[os.path.basename(question.path)] = line

    def write(self) -> None:
        """Write what was added, and remove what is old."""
        roots = {each.root for each in self._shards.values() if each.added}
        for shard in self._shards.values():
            with suppress(OSError, FileError):
                shard.write(self._stamp)
        for root in roots:
            with suppress(OSError):
                _prune(os.path.join(root, FOLDER))

    def _shard(self, question: Question) -> _Shard:
        folder = os.path.dirname(question.path)
        name = f"{question.root}\0{folder}"
        if name not in self._shards:
            self._shards[name] = _Shard(question.root, folder, self._stamp)
        return self._shards[name]

    @cached_property
    def _stamp(self) -> str:
        return digest(tool_stamp())

    def _holds(self, entry: Mapping[str, Any], question: Question) -> bool:
        if (entry["text"], entry["settings"]) != (question.text, question.settings):
            return False
        return all(self._digest(path) == known for path, known in entry["read"].items())

    def _digest(self, path: str) -> str | None:
        if path not in self._digests:
            self._digests[path] = digest_of_file(path)
        return self._digests[path]


class _Shard:
    """The results of the sources in one folder."""

    def __init__(self, root: str, folder: str, stamp: str) -> None:
        self.root = root
        self.added: dict[str, str] = {}
        self._folder = folder
        self._path = os.path.join(root, FOLDER, digest(folder) + _SUFFIX)
        self._lines = self._read(stamp)

    def entry(self, name: str) -> Any:
        """Return the result of a file, None if there is none. Raises `ValueError`."""
        line = self._lines.get(json.dumps(name))
        return None if line is None else json.loads(line)

    def write(self, stamp: str) -> None:
        """Replace the file, with what other runs have added. Raises `OSError`, `FileError`."""
        if not self.added:
            return
        _make_folder(os.path.dirname(self._path))
        lines = {json.dumps(name): line for name, line in self.added.items()}
        size = sum(map(len, lines.values()))
        for name, line in self._read(stamp).items():
            size += len(line)
            is_there = os.path.lexists(os.path.join(self._folder, json.loads(name)))
            if is_there and size < _LARGEST_FILE:
                lines.setdefault(name, line)
        body = "\n".join(f"{name}\t{line}" for name, line in lines.items())
        from ipu_asm.config.file_writing import replace_file  # loaded by those who write

        replace_file(self._path, f"{digest(stamp + body)}\n{body}".encode("ascii"))

    def _read(self, stamp: str) -> dict[str, str]:
        """Return the lines of the file by name; none of a file that another program wrote."""
        try:
            with open(self._path, encoding="ascii") as file:
                first, _, body = file.read(2 * _LARGEST_FILE).partition("\n")
        except (OSError, ValueError):
            return {}
        if first != digest(stamp + body):
            return {}
        with suppress(OSError):
            if time.time() - os.stat(self._path).st_mtime > _DAY_S:
                os.utime(self._path)  # it is in use
        rows = (line.partition("\t") for line in body.split("\n"))
        return {name: line for name, _, line in rows}


def _found_of(entry: Mapping[str, Any]) -> Found:
    empty = entry["empty"]
    return Found(
        findings_of_json(entry["findings"]),
        None if empty is None else findings_of_json(empty),
        {path: _header(path, name) for path, name in entry["headers"].items()},
        frozenset(entry["header_paths"]),
        entry["read"],
    )


def _header(path: str, name: str) -> SourceFile:
    """Return a header under the name that messages show. Raises `ValueError` if it has gone."""
    source = DiskReader().read(path)
    if source is None:
        raise ValueError(path)
    return SourceFile(source.text, name)


def _make_folder(folder: str) -> None:
    """Make the cache, as one that version control and backups leave out. Raises `OSError`."""
    if os.path.islink(folder):
        raise OSError("a link may lead out of the project")
    with suppress(FileExistsError):
        os.mkdir(folder)
    for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", _IGNORE)):
        with suppress(FileExistsError), open(os.path.join(folder, name), "x") as file:
            file.write(text)


def _prune(folder: str) -> None:
    """Remove results, and drafts of runs that were killed, that nothing has used for long."""
    oldest = time.time() - _MOST_DAYS * _DAY_S
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((_SUFFIX, ".tmp")) and entry.stat().st_mtime < oldest:
                with suppress(OSError):
                    os.unlink(entry.path)
