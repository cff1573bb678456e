"""Files and standard input as targets of commands, and reading them within limits."""

from __future__ import annotations

import os
import re
import select
import stat
import sys
from functools import lru_cache
from typing import BinaryIO, Iterable

from ipu_asm.isa import manifests
from ipu_asm.named_tuple import NamedTuple

STANDARD_INPUT = "-"

MOST_BYTES = 1 << 24
"""The largest input in bytes; an endless one, such as a device, is refused after as many."""
LARGEST_SCANNED = 5_000_000
"""The largest file, in bytes, that a search reads."""

_ELF = b"\x7fELF"
_CODE_BEGINNING = 8_000  # bytes in which a listing says that it is one
_LISTING = re.compile(
    r"^(?:.*:[ \t]+file format elf32-|[ \t]*Disassembly of section )", re.MULTILINE
)
_BYTE_ORDER_MARK = "\ufeff"
_OTHER_MARKS = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))
NON_BLOCKING = getattr(os, "O_NONBLOCK", 0)
PIPE_TIMEOUT_S = 1.0
"""How long a named pipe may have no other end: a shell starts both at about the same time."""
_PIPE_CHUNK = 1 << 16


Version = tuple[int, int, int]


@lru_cache(maxsize=1)
def source_extensions() -> frozenset[str]:
    """Return the file extensions that a search in folders takes: those of all instruction sets."""
    every = manifests().values()
    return frozenset(end for each in every for end in (*each.extensions, *each.shared_extensions))


class FileError(Exception):
    """A file, folder or stream cannot be used. The message is one line: the name and the reason."""

    def __init__(self, reason: str, name: str = "") -> None:
        super().__init__(f"{name}: {reason}" if name else reason)
        self.reason = reason
        self.name = name


class Target(NamedTuple):
    """A file to read, with the name that messages show.

    `asked_for`: the user named it; a search found the others.
    """

    name: str
    asked_for: bool = True
    is_standard_input: bool = False

    @classmethod
    def of_argument(cls, path: str, stdin_name: str = "<stdin>") -> Target:
        """Return the file that an argument of a command line names: `-` is standard input."""
        return cls(stdin_name, is_standard_input=True) if path == STANDARD_INPUT else cls(path)


class Stamp(NamedTuple):
    """Time of the last change and size of a file: with equal stamps it counts as unchanged."""

    changed_at_ns: int
    size: int


class SourceText(NamedTuple):
    """The text of a file, without its byte-order mark.

    Bytes that are not UTF-8 are lone surrogates, which `encoded` turns back into bytes.
    """

    text: str
    has_mark: bool = False

    def encoded(self, text: str) -> bytes:
        """Return the bytes of another text, with a byte-order mark if this one has it."""
        marked = _BYTE_ORDER_MARK + text if self.has_mark else text
        return marked.encode("utf-8", "surrogateescape")


def stamp_of(path: str) -> Stamp | None:
    """Return the stamp of a file; None if it is missing, not regular or too large to scan."""
    status = _status(path)
    if status is None or not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_SCANNED:
        return None
    return Stamp(status.st_mtime_ns, status.st_size)


def version_of(path: str) -> Version | None:
    """Return the version of a file, which changes when it is written; None for no file."""
    status = _status(path)
    return None if status is None else (status.st_mtime_ns, status.st_size, status.st_ino)


def scanned_text(path: str) -> str | None:
    """Return the text of a source found by a search; None if it is unreadable or not text."""
    try:
        data = read_bytes(Target(path), LARGEST_SCANNED)
        return None if b"\0" in data else decoded(data, path).text
    except FileError:
        return None


def read_text(target: Target) -> SourceText:
    """Return the text of a file or of standard input. Raises `FileError`."""
    return decoded(read_bytes(target), target.name)


def decoded(data: bytes, name: str) -> SourceText:
    """Return the text of the bytes of the file `name`. Raises `FileError`."""
    for mark, encoding in _OTHER_MARKS:
        if data.startswith(mark):
            raise FileError(f"expected UTF-8, found {encoding}", name)
    text = data.decode("utf-8", "surrogateescape")
    return SourceText(text.removeprefix(_BYTE_ORDER_MARK), text.startswith(_BYTE_ORDER_MARK))


def read_bytes(target: Target, most: int | None = None) -> bytes:
    """Return the bytes of a file or of standard input.

    Raises `FileError`, also for more than `most` bytes (`MOST_BYTES`), of which no more is read.
    """
    most = MOST_BYTES if most is None else most
    data = read_beginning(target, most + 1)
    if len(data) > most:
        raise FileError(f"expected at most {most:,} bytes, found more", target.name)
    return data


def read_beginning(target: Target, most: int) -> bytes:
    """Return the first `most` bytes of a file or of standard input. Raises `FileError`."""
    try:
        if target.is_standard_input:
            return _standard_input(most)
        with open(target.name, "rb", opener=_open) as file:
            is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
            return _read_pipe(file, most) if is_pipe else file.read(most)
    except (OSError, ValueError) as error:
        raise file_error(target.name, error) from error


def may_name_file(text: str) -> bool:
    """Return whether a file may have this name: a text from outside may have half a character."""
    try:
        return text != "" and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def file_error(path: str, error: Exception) -> FileError:
    """Return the `FileError` for an error of the operating system, or for an invalid path."""
    reason = getattr(error, "strerror", None) or str(error)
    return FileError(reason.lower(), path or "``")


def is_same_file(path: str, other: str) -> bool:
    """Return whether two names refer to the same existing regular file."""
    return input_at(path, [Target(other)]) is not None


def input_at(path: str, inputs: Iterable[Target]) -> Target | None:
    """Return the first input that is the same regular file as `path`, under any name."""
    there = _status(path)
    if there is None or not stat.S_ISREG(there.st_mode):
        return None
    for target in inputs:
        found = _standard_input_status() if target.is_standard_input else _status(target.name)
        if found is not None and os.path.samestat(there, found):
            return target
    return None


def is_code_file(data: bytes) -> bool:
    """Return whether a file has machine code: an ELF file, or the text of `objdump -d`."""
    return is_elf(data) or is_listing(data[:_CODE_BEGINNING].decode("latin-1"))


def is_elf(data: bytes) -> bool:
    """Return whether a file is an object or an executable."""
    return data.startswith(_ELF)


def is_listing(text: str) -> bool:
    """Return whether a text is that of `objdump -d`."""
    beginning = text[:_CODE_BEGINNING]
    # Every analysis of a source asks.
    if "Disassembly of" not in beginning and "file format elf32-" not in beginning:
        return False
    return "\0" not in beginning and _LISTING.search(beginning) is not None


def is_numpy_file(name: str) -> bool:
    """Return whether a file has an extension of numpy, `.npy` or `.npz`."""
    return os.path.splitext(name)[1].lower() in (".npy", ".npz")


def _open(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe."""
    descriptor = os.open(path, flags | NON_BLOCKING)
    if NON_BLOCKING and not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        os.set_blocking(descriptor, True)
    return descriptor


def _read_pipe(file: BinaryIO, most: int) -> bytes:
    """Read from a pipe. Raises `OSError` if no process has the other end open."""
    descriptor = file.fileno()
    is_ready, _, _ = select.select([descriptor], [], [], PIPE_TIMEOUT_S)
    try:
        first = os.read(descriptor, min(most, _PIPE_CHUNK))
    except BlockingIOError:  # there is a writer, which has not written yet
        first = b""
    else:
        if not first and not is_ready:
            raise OSError("a pipe that nothing writes to")
    os.set_blocking(descriptor, True)
    return first + file.read(most - len(first))


def _standard_input(most: int) -> bytes:
    if sys.stdin is None:
        raise ValueError("standard input is closed")
    if hasattr(sys.stdin, "buffer"):
        return sys.stdin.buffer.read(most)
    return sys.stdin.read(most).encode("utf-8", "surrogateescape")  # something stands in for it


def _standard_input_status() -> os.stat_result | None:
    try:
        return os.fstat(sys.stdin.fileno())
    except (AttributeError, OSError, ValueError):  # closed, or something stands in for it
        return None


def _status(file: str) -> os.stat_result | None:
    try:
        return os.stat(file)
    except (OSError, ValueError):
        return None
