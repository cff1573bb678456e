"""Files as the commands see them: finding, reading and replacing them."""

from __future__ import annotations

import os
import stat
import sys
from typing import Callable, Iterable, Iterator, NamedTuple

from ipu_asm.isa import EXTENSIONS

STANDARD_INPUT = "-"
SOURCE_EXTENSIONS = frozenset(
    (".s", ".asm", *(extension for extensions in EXTENSIONS.values() for extension in extensions))
)

LARGEST_SCANNED = 5_000_000
"""Larger files are no programs: nobody wants to wait for them who has not named them."""

_SKIPPED_FOLDERS = frozenset(("node_modules", "__pycache__"))
_BYTE_ORDER_MARK = "\ufeff"
_BINARY = getattr(os, "O_BINARY", 0)
_OTHER_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


class FileProblem(Exception):
    """A file or folder that cannot be used; the text is one line that begins with its name."""


class Target(NamedTuple):
    """A file to look at, under the name by which people know it.

    `asked_for` tells whether a user named it; the others were found in folders.
    """

    name: str
    asked_for: bool = True
    is_standard_input: bool = False


class Stamp(NamedTuple):
    """By which a file is known to be the one of before."""

    changed_at_ns: int
    size: int


class Text(NamedTuple):
    """What a file says, without the byte-order mark that it may begin with.

    Bytes that are no UTF-8 are lone surrogates: `encoded` gives them back.
    """

    text: str
    has_mark: bool = False

    def encoded(self, text: str) -> bytes:
        """The bytes of a file that says `text` and is otherwise like this one."""
        marked = _BYTE_ORDER_MARK + text if self.has_mark else text
        return marked.encode("utf-8", "surrogateescape")


def find_targets(
    paths: Iterable[str], stdin_name: str, report: Callable[[FileProblem], None]
) -> list[Target]:
    """The files that paths stand for, sorted by name, each once.

    Folders are searched for sources; hidden files and folders in them are left out.
    """
    found: dict[str, Target] = {}
    for path in paths:
        for target in _targets(path, stdin_name, report):
            key = "" if target.is_standard_input else os.path.abspath(target.name)
            if target.asked_for or key not in found:
                found.setdefault(key, target)
    return sorted(found.values())


def sources_below(
    folder: str, report: Callable[[OSError], None] = lambda _: None
) -> Iterator[list[str]]:
    """The sources in a folder and those below it, a list for each folder, maybe an empty one.

    Hidden files and folders are left out, links to folders are not followed. `report` is told of
    folders that cannot be looked into.
    """
    for place, folders, files in os.walk(folder, onerror=report):
        folders[:] = [f for f in folders if f[0] != "." and f not in _SKIPPED_FOLDERS]
        yield [
            os.path.normpath(os.path.join(place, file)) for file in files if is_source_name(file)
        ]


def is_source_name(name: str) -> bool:
    """Whether a search in folders takes a file of that name, which has no folder in it."""
    return name[:1] != "." and os.path.splitext(name)[1] in SOURCE_EXTENSIONS


def stamp_of(path: str) -> Stamp | None:
    """The stamp of a file; None for what is not there, no plain file or too large to scan."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SCANNED:
        return None
    return Stamp(status.st_mtime_ns, status.st_size)


def scanned_text(path: str) -> str | None:
    """What a source found in a folder says; None for one that cannot be read or is no text."""
    try:
        data = read_bytes(Target(path))
        return None if b"\0" in data else decoded(data, path).text
    except FileProblem:
        return None


def read_text(target: Target) -> Text:
    """What a file or standard input says. Raises `FileProblem`."""
    return decoded(read_bytes(target), target.name)


def decoded(data: bytes, name: str) -> Text:
    """What bytes say that were read from the file `name`. Raises `FileProblem`."""
    for mark, encoding in _OTHER_MARKS:
        if data.startswith(mark):
            raise FileProblem(f"{name}: expected UTF-8, found {encoding}")
    text = data.decode("utf-8", "surrogateescape")
    return Text(text.removeprefix(_BYTE_ORDER_MARK), text.startswith(_BYTE_ORDER_MARK))


def read_bytes(target: Target) -> bytes:
    """What is in a file or comes from standard input. Raises `FileProblem`."""
    try:
        if target.is_standard_input:
            return _standard_input()
        with open(target.name, "rb") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise problem(target.name, error) from error


def replace_file(path: str, data: bytes) -> None:
    """Put `data` in the place of a file, wholly or not at all. Raises `FileProblem`.

    Mode bits stay, and a link goes on pointing where it points; a device is written to.
    """
    try:
        mode = os.stat(path).st_mode if os.path.exists(path) else None
        if mode is not None and not stat.S_ISREG(mode):
            with open(path, "wb") as device:
                device.write(data)
        else:
            _replace(os.path.realpath(path), data, mode)
    except (OSError, ValueError) as error:
        raise problem(path, error) from error


def problem(path: str, error: Exception) -> FileProblem:
    """An operating system's error as a line to print."""
    reason = getattr(error, "strerror", None) or str(error)
    return FileProblem(f"{path}: {reason.lower()}")


def is_same_file(path: str, other: str) -> bool:
    """Whether two names stand for one file that is there."""
    return os.path.exists(path) and os.path.exists(other) and os.path.samefile(path, other)


def counted(number: int, noun: str) -> str:
    """A number with its noun: `1 file`, `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    if hasattr(sys.stdin, "buffer"):
        return sys.stdin.buffer.read()
    return sys.stdin.read().encode("utf-8", "surrogateescape")  # something stands in for it


def _replace(path: str, data: bytes, mode: int | None) -> None:
    draft = os.path.join(os.path.dirname(path), f".ipu-{os.getpid()}.tmp")
    bits = 0o666 if mode is None else stat.S_IMODE(mode)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, bits), "wb") as file:
        try:
            file.write(data)
            file.close()
            if mode is not None:
                os.chmod(draft, bits)
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise


def _targets(path: str, stdin_name: str, report: Callable[[FileProblem], None]) -> Iterator[Target]:
    if path == STANDARD_INPUT:
        yield Target(stdin_name, is_standard_input=True)
    elif not os.path.isdir(path):
        yield Target(path)
    else:
        yield from _search(path, report)


def _search(folder: str, report: Callable[[FileProblem], None]) -> Iterator[Target]:
    """The sources below a folder, or a report that says why there are none."""
    closed: list[OSError] = []
    found = False
    for paths in sources_below(folder, closed.append):
        found = found or bool(paths)
        yield from (Target(path, asked_for=False) for path in paths)
    for error in closed:
        report(problem(error.filename, error))
    if not found and not closed:
        report(FileProblem(f"{folder}: no source files in this folder"))
