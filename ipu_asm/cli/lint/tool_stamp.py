"""What results depend on besides files and settings: this version of the program."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import ipu_asm


def tool_stamp() -> str:
    """Return a text that changes with the version, and with the sources where they are edited.

    An installed package has a list with the digests of its files, which is the same wherever it is
    installed. The files of a checkout are looked at one by one: 2 ms for 700 files.
    """
    package = os.path.dirname(ipu_asm.__file__)
    name = f"ipu_asm-{ipu_asm.__version__}.dist-info"
    try:
        with open(os.path.join(os.path.dirname(package), name, "RECORD"), encoding="utf-8") as file:
            sources = file.read()
    except (OSError, ValueError):
        grammars = os.path.join(os.path.dirname(package), "grammars")
        sources = "\n".join(sorted([*_stamps(package, ".py"), *_stamps(grammars, ".lark")]))
    return "\n".join([ipu_asm.__version__, sys.version, sources])


def _stamps(folder: str, suffix: str) -> list[str]:
    """Return the path, time of change and size of each file below a folder, in any order.

    A folder that is not there, as in an archive, has none.
    """
    stamps, waiting = [], [folder]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(suffix):
                    status = entry.stat()
                    stamps.append(f"{entry.path}:{status.st_mtime_ns}:{status.st_size}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    waiting.append(entry.path)
    return stamps
