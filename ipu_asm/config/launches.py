"""Launch configurations of Visual Studio Code: ``.vscode/launch.json``, JSON with comments."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Iterable, Iterator

from ipu_asm.config.host_configurations import HostConfiguration, read_small, register_values

LAUNCH_FILE = "launch.json"
LAUNCH_FOLDER = ".vscode"

_TYPE = "ipu"
_STRING = r'"(?:[^"\\]|\\.)*"'
_COMMENT = re.compile(rf"({_STRING})|//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)
_FOLDER = re.compile(r"\$\{workspace(?:Folder|Root)(?::[^}]*)?\}")
_OPEN_FILES = ("${file}", "${relativeFile}")


def launches(path: str, folders: Iterable[str]) -> list[HostConfiguration]:
    """Return the configurations that launch the program at a path, from the nearest file.

    `folders` are searched in their order. Configurations that launch any open file come last.
    """
    for folder in folders:
        file = os.path.join(folder, LAUNCH_FOLDER, LAUNCH_FILE)
        if os.path.isfile(file):
            found = list(_launches(read_small(file), path, folder))
            return [each for _, each in sorted(found, key=lambda pair: pair[0])]
    return []


def _launches(content: bytes, path: str, folder: str) -> Iterator[tuple[bool, HostConfiguration]]:
    """Yield configurations, each with whether it launches any file."""
    for each in _configurations(content):
        if not isinstance(each, dict) or each.get("type") != _TYPE:
            continue
        program, name = each.get("program"), each.get("name")
        is_any = program in _OPEN_FILES
        if is_any or (isinstance(program, str) and _is_at(program, folder, path)):
            values = {
                **register_values("cr", each.get("cr")),
                **register_values("lr", each.get("lr")),
            }
            origin = f"launch configuration {name:.60}" if isinstance(name, str) else LAUNCH_FILE
            yield is_any, HostConfiguration(values, origin)


def _configurations(content: bytes) -> list[Any]:
    try:
        text = content.decode("utf-8-sig")
        text = _COMMENT.sub(lambda match: match[1] or " ", text)
        found = json.loads(_TRAILING_COMMA.sub(lambda match: match[1] or "", text))
    except (ValueError, RecursionError):
        return []
    configurations = found.get("configurations") if isinstance(found, dict) else None
    return configurations if isinstance(configurations, list) else []


def _is_at(program: str, folder: str, path: str) -> bool:
    written = _FOLDER.sub(lambda _: folder, program)
    return os.path.normpath(os.path.join(folder, written)) == path
