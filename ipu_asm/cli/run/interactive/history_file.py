"""The commands of earlier sessions: a private file in the user's folder for state."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final

from ipu_asm.config.file_writing import replace_file
from ipu_asm.config.files import FileError

MOST_LINES: Final = 2_000
_FOLDER: Final = "ipu-asm"
_NAME: Final = "debug_history"
_MAX_BYTES: Final = 1 << 20
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT


def history_path() -> str | None:
    """Return the path of the file; None if the user has no folder for it."""
    base = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA") or ""
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):
            return None
        base = os.path.join(home, ".local", "state")
    return os.path.join(base, _FOLDER, _NAME)


def read_history(path: str) -> list[str]:
    """Return the commands in a file, the latest last; none if it cannot be read.

    A file that has become too long is replaced by its end.
    """
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_BYTES))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    if len(lines) > MOST_LINES:
        lines = lines[-MOST_LINES // 2 :]
        with suppress(FileError):
            replace_file(path, "".join(f"{line}\n" for line in lines).encode(), new_mode=0o600)
    return lines


def append_history(path: str, command: str) -> None:
    """Append a command to a file, in one write; nothing happens if that is impossible.

    Several sessions may do so at once. Nobody else can read the file.
    """
    line = " ".join(command.split())
    with suppress(OSError, ValueError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        descriptor = os.open(path, _APPEND, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
