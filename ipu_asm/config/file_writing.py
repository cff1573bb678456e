"""Writing of files without loss: outputs are replaced together, sources are edited in place."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, suppress
from io import FileIO
from typing import NoReturn, Sequence

from ipu_asm.config.files import FileError, file_error
from ipu_asm.named_tuple import NamedTuple

BACKUP_SUFFIX = ".ipu-backup"
"""The end of the name of the backup beside a source while it is edited in place."""

_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_MAX_NAMES = 100
"""How many names are tried for a draft before the folder is given up."""
_WRITE_BITS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


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
    are moved back. What a device got it keeps. Threads and processes may do so at once, and may
    be killed; a failure of power can still lose content.
    """
    drafts: list[_Draft] = []
    devices: list[Output] = []
    with ExitStack() as tidy, ExitStack() as undo:
        for output in outputs:
            mode = _mode_of(output.path)
            if mode is None or stat.S_ISREG(mode):
                drafts.append(_Draft(output, mode, new_mode))
                tidy.callback(drafts[-1].remove)
                drafts[-1].write()
            else:
                devices.append(output)
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
        with open(path, "r+b", buffering=0) as file:
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


def _write_device(output: Output) -> None:
    try:
        with open(output.path, "wb") as device:
            device.write(output.data)
    except (OSError, ValueError) as error:
        raise file_error(output.path, error) from error


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
