"""Digests of texts, headers and this program: a result of an earlier run holds while they do."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Mapping

import ipu_asm
from ipu_asm.config.source_keys import PROJECT_FOLDERS, ProjectFolders
from ipu_asm.source.expansion import DiskReader
from ipu_asm.text import SourceFile

try:
    # The same function: `hashlib` loads OpenSSL besides, in a tenth of a run with the cache.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


class RecordingReader(DiskReader):
    """Reads headers from the disk, and keeps a digest of each that was looked for."""

    def __init__(self) -> None:
        self._digests: dict[str, str | None] = {}
        self._unread: set[str] = set()

    @property
    def digests(self) -> Mapping[str, str | None]:
        """The digests by path, None for a file that is missing.

        With them is the file that has Jinja's version, once it is loaded: the messages about a
        template are Jinja's.
        """
        unread = self._unread - self._digests.keys()
        jinja = getattr(sys.modules.get("jinja2"), "__file__", None)
        libraries = [jinja] if jinja else []
        return {**self._digests, **{path: digest_of_file(path) for path in (*unread, *libraries)}}

    def read(self, path: str) -> SourceFile | None:
        """Return a header, None if there is none."""
        source = super().read(path)
        self._digests[path] = _digest_of_header(path, source)
        return source

    def stamp(self, path: str) -> object:
        """Return the stamp of a header, None if there is none."""
        stamp = super().stamp(path)
        if stamp is None:
            self._digests[path] = None
        else:
            self._unread.add(path)
        return stamp


def digest(text: str, key: bytes = b"") -> str:
    """Return a keyed digest of a text, 32 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16, key=key).hexdigest()


def digests_of(reader: RecordingReader, project: ProjectFolders | None) -> Mapping[str, str | None]:
    """Return the digests of a reader, with that of the folders of the project if it is searched."""
    if project is None or not project.is_searched:
        return reader.digests
    path = os.path.join(project.root, PROJECT_FOLDERS)
    return {**reader.digests, path: _digest_of_folders(project)}


def _digest_of_folders(project: ProjectFolders) -> str:
    return digest("\n".join(project.folders))


def digest_of_file(path: str) -> str | None:
    """Return the digest of a header, or of the list of a project's folders; None without a file."""
    root = path.removesuffix(os.sep + PROJECT_FOLDERS)
    if root != path:
        return _digest_of_folders(ProjectFolders(root))
    reader = DiskReader()
    return None if reader.stamp(path) is None else _digest_of_header(path, reader.read(path))


def _digest_of_header(path: str, source: SourceFile | None) -> str:
    """Return a digest of a header and of where it is: a link may lead out of the allowed folders.

    Without a `source` it is a file that is not read, such as one that is no text.
    """
    return digest("\0" if source is None else f"{os.path.realpath(path)}\n{source.text}")


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
