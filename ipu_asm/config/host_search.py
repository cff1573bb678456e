"""The search for launches and tests that say which registers the host of a kernel sets."""

from __future__ import annotations

import os
from typing import Iterator

from ipu_asm.config.host_configurations import HostConfiguration
from ipu_asm.config.kernel_tests import is_test, tested
from ipu_asm.config.launches import LAUNCH_FILE, launches

WATCHED = (f"**/.vscode/{LAUNCH_FILE}", "**/test_*.py", "**/*_test.py")
"""Globs of the files that are read."""

_MOST_HOSTS = 16


def host_configurations(path: str, root: str) -> tuple[HostConfiguration, ...]:
    """Return what launch configurations and kernel tests say of the kernel at an absolute path.

    Only files below the folder `root` are read, in the kernel's folder and those above it.
    """
    found: dict[tuple[tuple[str, int], ...], HostConfiguration] = {}
    folders = list(_folders_up_to(os.path.dirname(path), root))
    for each in (*launches(path, folders), *tested(path, folders)):
        if each.values and len(found) < _MOST_HOSTS:
            found.setdefault(tuple(sorted(each.values.items())), each)
    return tuple(found.values())


def is_watched(path: str) -> bool:
    """Return whether a path may be that of a file that is read."""
    name = os.path.basename(path)
    return name == LAUNCH_FILE or is_test(name)


def _folders_up_to(folder: str, root: str) -> Iterator[str]:
    """Yield a folder and those above it, up to `root`; the folder alone if it is not below."""
    yield folder
    inside = os.path.join(root, "")
    while folder != root and folder.startswith(inside):
        folder = os.path.dirname(folder)
        yield folder
