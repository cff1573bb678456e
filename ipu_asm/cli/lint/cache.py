"""Results of earlier runs, kept in a folder of the user and never in a checkout.

There is one file for each folder of sources. Its first line authenticates all that follows and the
program that wrote it, with a random key that lies beside; each other line is the name of a source
and, as JSON, its result. A result counts while the text, the settings and all headers are as they
were, those included that were looked for and not found. A file is replaced as a whole, so parallel
runs lose results at worst. No link is followed, and only regular files of the user are read.
What cannot be read or written is left alone: the cache never changes what a run prints.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
import weakref
from contextlib import suppress
from functools import cached_property
from typing import Any, Iterable, Mapping

from ipu_asm.cli.lint.digests import digest, digest_of_file, tool_stamp
from ipu_asm.cli.lint.formats import Found
from ipu_asm.config import Configuration
from ipu_asm.config.files import Target
from ipu_asm.config.isa_choice import IsaChoice
from ipu_asm.diagnostics import Applicability, Diagnostic, Fix, RelatedInformation, RuleId, Severity
from ipu_asm.isa import DEFAULT_ISA
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.source.expansion import DiskReader, SourceSettings
from ipu_asm.text import SourceFile, Span, TextEdit

VARIABLE = "IPU_CACHE_DIR"
"""The environment variable that names another folder than the platform's."""
_FOLDER = "ipu-asm"
_KEY = "key"
_KEY_BYTES = 32
_TAG_NAME = "CACHEDIR.TAG"
_TAG = (
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Results of ipu-lint, safe to delete. See https://bford.info/cachedir/ about this file.\n"
)
_DAY_S = 24 * 60 * 60
_MAX_DAYS = 30
"""Results of a folder that no run has asked for are removed after so many days."""
_SUFFIX = ".json"
_DRAFT_SUFFIX = ".tmp"
_MAX_ENTRY = 1 << 20
_MAX_FILE = 1 << 24
_ALONE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | _ALONE
"""A pipe without a writer is opened at once, and then is no regular file."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ALONE
_HAS_FOLDER_DESCRIPTORS = os.open in os.supports_dir_fd


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
        if len(line) <= _MAX_ENTRY:
            self._shard(question).added[os.path.basename(question.path)] = line

    def write(self) -> None:
        """Write what was added, and remove what is old."""
        added = [each for each in self._shards.values() if each.added]
        for shard in added:
            with suppress(OSError):
                shard.write()
        if added and self._folder is not None:
            with suppress(OSError):
                self._folder.prune()

    def _shard(self, question: Question) -> _Shard:
        folder = os.path.dirname(question.path)
        name = digest(f"{question.root}\0{folder}") + _SUFFIX
        if name not in self._shards:
            self._shards[name] = _Shard(self._folder, name, folder, self._stamp)
        return self._shards[name]

    @cached_property
    def _folder(self) -> _Folder | None:
        path = cache_folder()
        with suppress(OSError, ValueError):
            return None if path is None else _Folder(path)
        return None

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


def cache_folder() -> str | None:
    """Return the user's folder for results; None if there is none."""
    if path := os.environ.get(VARIABLE):
        return os.path.abspath(path)
    if sys.platform == "linux":  # the same without 15 ms of loading, in 110 of a run
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        path = os.path.join(base, _FOLDER)
    else:
        import platformdirs

        path = platformdirs.user_cache_dir(_FOLDER, appauthor=False)
    return path if os.path.isabs(path) else None  # a relative one would be in the checkout


class _Folder:
    """An opened folder of the user, in which no link is followed."""

    def __init__(self, path: str) -> None:
        """Open a folder, and make it if there is none. Raises `OSError`."""
        os.makedirs(path, mode=0o700, exist_ok=True)
        self._path = path
        self._descriptor: int | None = None
        if _HAS_FOLDER_DESCRIPTORS:
            self._path = ""
            self._descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            weakref.finalize(self, os.close, self._descriptor)
        status = os.lstat(path) if self._descriptor is None else os.fstat(self._descriptor)
        if not (stat.S_ISDIR(status.st_mode) and _is_ours(status)):
            raise OSError("not a folder of the user")
        self.key = self._read_key()

    def read(self, name: str, most: int) -> bytes | None:
        """Return a regular file of at most `most` bytes; None for any other."""
        with suppress(OSError):
            descriptor = os.open(self._at(name), _READ, dir_fd=self._descriptor)
            with open(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if stat.S_ISREG(status.st_mode) and _is_ours(status) and status.st_size <= most:
                    if time.time() - status.st_mtime > _DAY_S:  # it is in use
                        os.utime(descriptor if os.utime in os.supports_fd else self._at(name))
                    return file.read(most)
        return None

    def replace(self, name: str, data: bytes) -> None:
        """Replace a file, or a link, as a whole. Raises `OSError`."""
        at = self._descriptor
        draft = self._at(f"{os.urandom(8).hex()}{_DRAFT_SUFFIX}")
        with open(os.open(draft, _NEW, 0o600, dir_fd=at), "wb") as file:
            try:
                file.write(data)
                file.flush()
                os.replace(draft, self._at(name), src_dir_fd=at, dst_dir_fd=at)
            except BaseException:
                os.unlink(draft, dir_fd=at)
                raise

    def prune(self) -> None:
        """Remove results, and drafts of runs that were killed, that nothing has used for long."""
        oldest = time.time() - _MAX_DAYS * _DAY_S
        with os.scandir(self._path if self._descriptor is None else self._descriptor) as entries:
            for entry in entries:
                if entry.name.endswith((_SUFFIX, _DRAFT_SUFFIX)):
                    with suppress(OSError):
                        if entry.stat(follow_symlinks=False).st_mtime < oldest:
                            os.unlink(self._at(entry.name), dir_fd=self._descriptor)

    def _read_key(self) -> bytes:
        key = self.read(_KEY, _KEY_BYTES)
        if key is None or len(key) != _KEY_BYTES:
            key = os.urandom(_KEY_BYTES)
            self.replace(_KEY, key)
            self.replace(_TAG_NAME, _TAG.encode("ascii"))
        return key

    def _at(self, name: str) -> str:
        return os.path.join(self._path, name)


def _is_ours(status: os.stat_result) -> bool:
    """Whether a file belongs to the user, as far as the platform tells."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


class _Shard:
    """The results of the sources in one folder."""

    def __init__(self, cache: _Folder | None, name: str, folder: str, stamp: str) -> None:
        self.added: dict[str, str] = {}
        self._cache = cache
        self._name = name
        self._folder = folder
        self._stamp = stamp
        self._lines = self._read()

    def entry(self, name: str) -> Any:
        """Return the result of a file, None if there is none. Raises `ValueError`."""
        line = self._lines.get(json.dumps(name))
        return None if line is None else json.loads(line)

    def write(self) -> None:
        """Replace the file, with what other runs have added. Raises `OSError`."""
        if self._cache is None:
            return
        lines = {json.dumps(name): line for name, line in self.added.items()}
        size = sum(map(len, lines.values()))
        for name, line in self._read().items():
            size += len(line)
            is_there = os.path.lexists(os.path.join(self._folder, json.loads(name)))
            if is_there and size < _MAX_FILE:
                lines.setdefault(name, line)
        body = "\n".join(f"{name}\t{line}" for name, line in lines.items())
        seal = digest(self._stamp + body, self._cache.key)
        self._cache.replace(self._name, f"{seal}\n{body}".encode("ascii"))

    def _read(self) -> dict[str, str]:
        """Return the lines of the file by name; none of a file that anything else wrote."""
        data = None if self._cache is None else self._cache.read(self._name, 2 * _MAX_FILE)
        if self._cache is None or data is None:
            return {}
        seal, _, body = data.decode("ascii", "replace").partition("\n")
        if seal != digest(self._stamp + body, self._cache.key):
            return {}
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


def json_of_findings(findings: Iterable[Diagnostic]) -> list[Any]:
    """Return findings as nested lists: each is a tuple, and so are most of its parts."""
    return [
        [rule, message, span, related, fix and [fix.title, fix.edits, fix.applicability], *rest]
        for rule, message, span, related, fix, *rest in findings
    ]


def findings_of_json(values: Iterable[Any]) -> tuple[Diagnostic, ...]:
    """Return the findings. Raises `TypeError` or `ValueError` for values of another form."""
    return tuple(map(_finding_of, values))


def _finding_of(value: list[Any]) -> Diagnostic:
    (code, name, severity), message, (start, end), related, fix, tags, dropped, path = value
    return Diagnostic(
        RuleId(code, name, Severity(severity)),
        message,
        Span(start, end),
        tuple(RelatedInformation(Span(*span), text, where) for span, text, where in related),
        _fix_of(*fix) if fix else None,
        tuple(tags),
        tuple(dropped),
        path,
    )


def _fix_of(title: str, edits: list[Any], applicability: int) -> Fix:
    replaced = tuple(TextEdit(Span(*span), text) for span, text in edits)
    return Fix(title, replaced, Applicability(applicability))
