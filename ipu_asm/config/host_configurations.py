"""Values of registers that the host of a kernel sets, as launches and tests of it say.

They are what an editor shows where neither a comment nor ``[kernel."GLOB"]`` states a value. No
finding depends on them, because a launch is one person's, and a test one case of many.
"""

from __future__ import annotations

import os
from typing import Mapping

from ipu_asm.config import Configuration, KernelRun
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.config.files import FileError, Target, read_beginning
from ipu_asm.config.globs import path_matches
from ipu_asm.named_tuple import NamedTuple

MOST_BYTES = 1 << 18
"""Of a file that is read: larger ones are left out."""

_NUMBER_LENGTH = 12
_LOWEST, _HIGHEST = -(1 << 31), (1 << 32) - 1


class HostConfiguration(NamedTuple):
    """The values of some registers by name, and where they are from, as in `test_relu.py:12`."""

    values: Mapping[str, int]
    origin: str


class Hosts(NamedTuple):
    """The configurations of a kernel, those that count more first, and the name of a chosen one."""

    configurations: tuple[HostConfiguration, ...] = ()
    chosen: str = ""


NO_HOSTS = Hosts()


def read_small(path: str) -> bytes:
    """Return the content of a file; nothing if it is large or cannot be read."""
    try:
        content = read_beginning(Target(path), MOST_BYTES + 1)
    except FileError:
        return b""
    return content if len(content) <= MOST_BYTES else b""


def register_values(file: str, table: object) -> dict[str, int]:
    """Return the values in a table such as ``{"0": 4096, "cr1": "0x20000"}``, by register.

    What is no number of 32 bits, or no register of the file, is left out.
    """
    found = {}
    for key, item in table.items() if isinstance(table, dict) else ():
        digits = str(key).lower().removeprefix(file)
        value = _number(item)
        if value is not None and digits.isascii() and digits.isdecimal() and len(digits) <= 3:
            found[f"{file}{int(digits)}"] = value
    return found


def is_word(value: object) -> bool:
    """Return whether a value is a number of 32 bits, signed or unsigned."""
    return type(value) is int and _LOWEST <= value <= _HIGHEST


def _number(item: object) -> int | None:
    if isinstance(item, str) and len(item) <= _NUMBER_LENGTH:
        try:
            item = int(item, 0)
        except ValueError:
            return None
    return item if isinstance(item, int) and is_word(item) else None


class FoundRun(NamedTuple):
    """A run, the absolute folder of its files, and the configuration file that states it."""

    run: KernelRun
    folder: str
    origin: str


def configured_run(path: str, configuration: Configuration | None = None) -> FoundRun | None:
    """Return the run of the first table that matches a kernel; None if none does.

    By default the nearest file counts. Raises `ConfigurationError`.
    """
    if configuration is None:
        configuration = Configurations().nearest(os.path.dirname(os.path.abspath(path)))
    if configuration is None:
        return None
    ours, folder = configuration, configuration.folder
    run = next((run for glob, run in ours.runs if path_matches(glob, path, folder)), None)
    if run is None:
        return None
    return FoundRun(run, folder, configuration.path)


def configured_host(path: str, configuration: Configuration) -> HostConfiguration | None:
    """Return the registers of the run that a configuration has for a kernel; None without any."""
    found = configured_run(path, configuration) if configuration.runs else None
    if found is None:
        return None
    values = {
        f"{file}{number}": value
        for file, registers in (("cr", found.run.cr), ("lr", found.run.lr))
        for number, value in registers.items()
    }
    return HostConfiguration(values, os.path.basename(found.origin)) if values else None
