"""Writing of files without loss: outputs are replaced together, sources are edited in place."""

from __future__ import annotations

import errno
import os
import signal
import stat
import time
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from types import FrameType
from typing import Any, Iterator, NoReturn, Sequence

from ipu_asm.config.files import NON_BLOCKING, PIPE_TIMEOUT_S, FileError, file_error
from ipu_asm.named_tuple import NamedTuple

BACKUP_SUFFIX = ".ipu-backup"
"""The end of the name of the backup beside a source while it is edited in place."""

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_MAX_NAMES = 100
"""How many names are tried for a draft before the folder is given up."""
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_PIPE_POLL_S = 0.02
_ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Output(NamedTuple):
    """A file and its new content."""

    path: str
    data: bytes


def replace_file(path: str, data: bytes, *, new_mode: int = 0o666) -> None:
    """Replace a file by `data`, completely or not at all. Raises `FileError`.

    Mode bits stay, and a link goes on pointing where it points; a device is written to. A file that
    is new gets the bits of `new_mode` that the process allows.
    """
    replace_files([Output(path, data)], new_mode=new_mode)


def replace_files(outputs: Sequence[Output], *, new_mode: int = 0o666) -> None:
    """Replace files: all of them, or none. Raises `FileError`.

    Each file is first written beside its place. When that has succeeded for all of them, they are
    moved there. Where one of the moves fails, or an interrupt comes before the last of them, all
    are moved back. What a device got it keeps. A signal that ends the process waits until all is
    done, or undone while a device does not take its content. Threads and processes may do so at
    once. Where one is killed, old and new can mix; a failure of power can lose content.
    """
    drafts: list[_Draft] = []
    devices: list[Output] = []
    with _DelayedSignals() as signals, ExitStack() as tidy, ExitStack() as undo:
        for output in outputs:
            mode = _mode_of(output.path)
            if mode is None or stat.S_ISREG(mode):
                drafts.append(_Draft(output, mode, new_mode))
                tidy.callback(drafts[-1].remove)
                drafts[-1].write()
            else:
                devices.append(output)
        with signals.raised():
            for output in devices:
                _write_device(output)
        for draft in drafts:
            undo.callback(draft.move_back, drafts[-1])
            draft.move(is_last=draft is drafts[-1])


def rewrite_file(path: str, old: bytes, new: bytes) -> bool:
    """Change the content of a file in place from `old` to `new`; return False if it is `new`.

    It stays the same file: inode, owner, mode and all its names. While it is written, a backup
    lies beside it, and stays there if the process is killed. Raises `FileError`, and then the
    file is as it was: where its content is no longer `old`, where no mode bit allows writing (which
    would not stop root), where a backup is left from before, and where writing fails.
    """
    try:
        with _DelayedSignals(), open(path, "r+b", buffering=0) as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                raise FileError("not a regular file: nothing written", path)
            _refuse_read_only(path, mode)
            now = file.readall()
            if now == new:
                return False
            if now != old:
                raise FileError("changed since it was read: nothing written", path)
            _rewrite(file, path, old, new)
            return True
    except (OSError, ValueError) as error:
        raise file_error(path, error) from error


class _Draft:
    """The new content of a file, written beside the file and then moved to its place."""

    def __init__(self, output: Output, mode: int | None, new_mode: int) -> None:
        """`mode` is the mode of the existing file, None if there is none."""
        self._output = output
        self._mode = mode
        self._bits = new_mode if mode is None else stat.S_IMODE(mode)
        self._path = os.path.realpath(output.path)
        self._draft = ""
        self._old: str | None = None

    @property
    def is_moved(self) -> bool:
        """Whether the content, once it is written, is in its place."""
        return not os.path.lexists(self._draft)

    def write(self) -> None:
        """Write the content beside the file."""
        try:
            if self._mode is not None:
                _refuse_read_only(self._output.path, self._mode)
            with open(self._open_draft(), "wb") as file:
                file.write(self._output.data)
            if self._mode is not None:
                os.chmod(self._draft, self._bits)
        except (OSError, ValueError) as error:
            raise file_error(self._output.path, error) from error

    def move(self, is_last: bool) -> None:
        """Move the content to its place. After the last move all files are new."""
        try:
            if self._mode is not None and not is_last:
                self._old = f"{self._draft}.old"
                try:
                    os.link(self._path, self._old)
                except OSError:  # a file system without hard links
                    os.replace(self._path, self._old)
            os.replace(self._draft, self._path)
        except OSError as error:
            raise file_error(self._output.path, error) from error

    def _open_draft(self) -> int:
        """Return the descriptor of a new file beside the file. Raises `OSError`.

        Its name is random: other threads write there, and killed processes leave their files.
        """
        folder = os.path.dirname(self._path)
        for _ in range(_MAX_NAMES):
            self._draft = os.path.join(folder, f".ipu-{os.urandom(6).hex()}.tmp")
            with suppress(FileExistsError):
                return os.open(self._draft, _NEW_FILE, self._bits)
        self._draft = ""
        raise OSError(f"no name is free for a draft in `{folder}`")

    def move_back(self, last: _Draft) -> None:
        """Undo the move, or what has been done of it, unless the `last` file has been moved."""
        if last.is_moved:
            return
        if self._old is not None:
            with suppress(FileNotFoundError):
                os.replace(self._old, self._path)
        elif self._mode is None and self.is_moved:
            _remove(self._path)

    def remove(self) -> None:
        """Remove what lies beside the file."""
        _remove(self._draft)
        if self._old is not None:
            _remove(self._old)


class _SignalError(BaseException):
    """A signal that ends the process has come."""


class _DelayedSignals:
    """A context in which signals that end the process wait for its end, in the main thread."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._noted: int | None = None
        self._is_raised = False

    def __enter__(self) -> _DelayedSignals:
        with suppress(ValueError):  # another thread than the main one, which signals do not reach
            for number in _ENDING:
                before = signal.getsignal(number)
                if before not in (None, signal.SIG_IGN):
                    signal.signal(number, self._note)
                    self._before[number] = before
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        if self._noted is not None:
            signal.raise_signal(self._noted)
        if kind is _SignalError:  # its handler goes on, as that of a session does at first
            raise FileError("interrupted: nothing written")

    @contextmanager
    def raised(self) -> Iterator[None]:
        """Let a signal leave the context at once, by an exception: what follows may take long."""
        self._is_raised = True
        try:
            if self._noted is not None:
                raise _SignalError
            yield
        finally:
            self._is_raised = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._noted = number
        if self._is_raised:
            self._is_raised = False
            raise _SignalError


def _write_device(output: Output) -> None:
    try:
        with open(output.path, "wb", opener=_open_device) as device:
            device.write(output.data)
    except (OSError, ValueError) as error:
        raise file_error(output.path, error) from error


def _open_device(path: str, flags: int) -> int:
    """Open a device or pipe to write. Raises `OSError`, also for a pipe that nothing reads."""
    end = time.monotonic() + PIPE_TIMEOUT_S
    while True:
        try:
            descriptor = os.open(path, flags | NON_BLOCKING)
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(os.stat(path).st_mode):
                raise
            if time.monotonic() > end:
                raise OSError("a pipe that nothing reads") from error
            time.sleep(_PIPE_POLL_S)
        else:
            if NON_BLOCKING:
                os.set_blocking(descriptor, True)
            return descriptor


def _mode_of(path: str) -> int | None:
    """Return the mode of a file; None if it does not exist."""
    try:
        return os.stat(path).st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise file_error(path, error) from error


def _refuse_read_only(path: str, mode: int) -> None:
    if not mode & _WRITE_BITS:
        raise FileError(f"read-only (mode {stat.S_IMODE(mode):03o}): nothing written", path)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):  # also of the name "", of a draft not yet begun
        os.unlink(path)


def _rewrite(file: FileIO, path: str, old: bytes, new: bytes) -> None:
    """Overwrite an open file, with a backup beside it until the new content is on disk."""
    folder, name = os.path.split(os.path.realpath(path))
    backup = os.path.join(folder, f".{name}{BACKUP_SUFFIX}")
    _write_backup(path, backup, old)
    try:
        _overwrite(file, new)
    except BaseException as error:
        try:
            _overwrite(file, old)
        except OSError:
            _tell_lost(path, backup, error)
        _remove(backup)
        raise
    _remove(backup)


def _write_backup(path: str, backup: str, data: bytes) -> None:
    try:
        with open(os.open(backup, _NEW_FILE, 0o600), "wb") as file:
            try:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            except BaseException:
                _remove(backup)
                raise
    except FileExistsError as error:
        raise FileError(
            f"`{backup}` is left from a run that was interrupted: nothing written; "
            "compare both files, then remove it",
            path,
        ) from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"no backup `{backup}` ({reason}): nothing written", path) from error


def _overwrite(file: FileIO, data: bytes) -> None:
    file.seek(0)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
    file.truncate()
    os.fsync(file.fileno())


def _tell_lost(path: str, backup: str, error: BaseException) -> NoReturn:
    reason = getattr(error, "strerror", None) or type(error).__name__
    raise FileError(
        f"writing failed ({reason.lower()}), and so did restoring it: its content is in `{backup}`",
        path,
    ) from error
