"""Validated fields of the objects in a launch configuration.

By hand, as `arguments` is: importing cattrs takes an eighth of the adapter's start-up (110 of 830
ms); it converts `"5"` to 5 unless each type gets a hook, and its errors do not name the value found
or what can be written instead. The hooks would be as long as this.
"""

from __future__ import annotations

import os
from math import prod
from typing import Any, Callable, Final, Iterator, Sequence, TypeVar

from ipu_asm.config.configuration import Value
from ipu_asm.config.files import FileError, Target, read_bytes
from ipu_asm.config.setting_error import SettingError
from ipu_asm.config.source_keys import check_name, context_value
from ipu_asm.isa import manifests
from ipu_asm.isa.manifest import HostOption, Manifest
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.testbench.data.source import (
    DataError,
    DataSource,
    Shape,
    dtype_of,
    shape_of,
    source_of,
)
from ipu_lsp.debug_adapter.client import path_of
from ipu_lsp.json_types import Json

_Content = TypeVar("_Content")

ENDLESS: Final = 1 << 62
HOST_FIELDS: Final = tuple(
    dict.fromkeys(
        option.field for manifest in manifests().values() for option in manifest.host_options
    )
)
"""The fields for options of machines."""
_REGISTERS: Final = 16
_MIN_WORD, _MAX_WORD = -(1 << 31), (1 << 32) - 1


class LaunchError(Exception):
    """An invalid launch configuration; `mistakes` lists all errors."""

    def __init__(self, mistakes: Sequence[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = tuple(mistakes)


class LaunchFiles:
    """What the objects of one configuration share: a folder, the input files, and all mistakes."""

    def __init__(self) -> None:
        self.memory_size = 0
        self.folder = os.curdir
        self.mistakes: list[str] = []
        self.inputs: list[Target] = []

    def content(
        self, path: str | None, read: Callable[[Target], _Content], otherwise: _Content
    ) -> _Content:
        """Return the content of an input; `otherwise` if it cannot be read or has no valid path."""
        self.inputs.append(Target(path or ""))
        if path is None:
            return otherwise
        try:
            if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
                # A pipe or a device may never end.
                raise FileError("not a regular file", path)
            return read(self.inputs[-1])
        except FileError as error:
            self.mistakes.append(str(error))
            return otherwise


class ObjectReader:
    """Validates the fields of an object; `prefix` is its place in the configuration."""

    def __init__(self, fields: Json, files: LaunchFiles, prefix: str = "") -> None:
        self.files = files
        self._fields = fields
        self._prefix = prefix

    def folder(self, key: str) -> str:
        path = self.path(key) if self._fields.get(key) is not None else None
        if path is not None and not os.path.isdir(path):
            self.reject(key, f"a folder, found `{path}`")
        return path or os.curdir

    def program(self, key: str) -> tuple[str, bytes]:
        """Return the path and the content of the file to debug."""
        if self._fields.get(key) is None:
            self.reject(key, "the file to debug, found none")
            return "", b""
        path = self.path(key)
        return path or "", self.files.content(path, read_bytes, b"")

    def text(self, key: str, wanted: str) -> str | None:
        value = self._fields.get(key)
        if value is None or isinstance(value, str):
            return value
        self.reject(key, f"{wanted}, found {shown_value(value)}")
        return None

    def path(self, key: str) -> str | None:
        """Return an absolute path; relative ones start from the folder."""
        value = self._fields.get(key)
        return self._absolute(key, value)

    def source(self, key: str) -> DataSource | None:
        """Return data that a text names, with an absolute path; None for a mistake."""
        value = self._fields.get(key)
        if not isinstance(value, str):
            self.reject(key, f"a path, found {shown_value(value)}")
            return None
        try:
            source = source_of(value)
        except DataError as error:
            self.files.mistakes.append(f"`{self._prefix}{key}`: {error}")
            return None
        if source.generator:
            return source
        path = self._absolute(key, source.file)
        if path is None:
            return None
        shown = f"{path}[{source.member}]" if source.member else path
        return source._replace(file=path, text=shown)

    def shape(self, key: str, most: int, is_needed: bool = False) -> Shape | None:
        """Return a length or a shape such as `20x128` of at most `most` elements; None for none."""
        value = self._fields.get(key)
        if not isinstance(value, str) or number_value(value) is not None:
            if value is None and not is_needed:
                return None
            return (self.number(key, 1, most),)
        try:
            shape = shape_of(value)
        except DataError as error:
            self.reject(key, str(error).removeprefix("expected "))
            return None
        if prod(shape) > most:
            self.reject(key, f"of at most {most:,} elements, found {quoted(value)}")
        return shape

    def dtype(self, key: str) -> str | None:
        value = self.text(key, "the name of a type such as `i8`")
        try:
            return None if value is None else dtype_of(value)
        except DataError as error:
            self.reject(key, str(error).removeprefix("expected "))
            return None

    def _absolute(self, key: str, value: object) -> str | None:
        if not isinstance(value, str):
            self.reject(key, f"a path, found {shown_value(value)}")
            return None
        try:
            os.fsencode(value)
            path = os.path.expanduser(path_of(value))
            return os.path.abspath(os.path.join(self.files.folder, path))
        except ValueError as error:
            self.reject(key, f"a path, found {shown_value(value)}: {error}")
            return None

    def is_missing(self, key: str) -> bool:
        return self._fields.get(key) is None

    def flag(self, key: str, default: bool) -> bool:
        value = self._fields.get(key)
        if isinstance(value, bool):
            return value
        if value is not None:
            self.reject(key, f"true or false, found {shown_value(value)}")
        return default

    def number(self, key: str, least: int, most: int) -> int:
        value = self._fields.get(key)
        number = number_value(value) if isinstance(value, str) else value
        if type(number) is not int:
            self.reject(key, f"a number such as 4096 or `0x1000`, found {shown_value(value)}")
        elif not least <= number <= most:
            limits = f"{least} or more" if most == ENDLESS else f"{least} to {most:#x}"
            self.reject(key, f"{limits}, found {shown_value(value)}")
        else:
            return number
        return least

    def optional(self, key: str, least: int, most: int) -> int | None:
        return None if self._fields.get(key) is None else self.number(key, least, most)

    def registers(self, file: str) -> tuple[tuple[int, int], ...]:
        """Parse `{"0": 4096, "lr1": "0x10"}`: registers of a file with their values."""
        values = self._fields.get(file)
        if values is None:
            return ()
        if not isinstance(values, dict):
            self.reject(file, f'an object such as {{"0": 4096}}, found {shown_value(values)}')
            return ()
        reader, found = ObjectReader(values, self.files, f"{file}."), {}
        for key in values:
            index = number_value(key.lower().removeprefix(file))
            if index is None or not 0 <= index < _REGISTERS:
                message = f"`{file}` has the registers 0 to 15, found {quoted(key)}"
                self.files.mistakes.append(message)
            else:
                found[index] = reader.number(key, _MIN_WORD, _MAX_WORD) & _MAX_WORD
        return tuple(found.items())

    def values(self, key: str) -> dict[str, Value]:
        """Parse `{"cols": 4}`: names with numbers, booleans, texts, lists or objects of these."""
        given, found = self._fields.get(key), {}
        if given is not None and not isinstance(given, dict):
            self.reject(key, f'an object such as {{"cols": 4}}, found {shown_value(given)}')
        for name, value in given.items() if isinstance(given, dict) else ():
            try:
                check_name(name)
                found[name] = context_value(value)
            except SettingError as error:
                text = str(error).removeprefix("expected ")
                self.files.mistakes.append(f"`{key}.{name:.40}` is {text}")
        return found

    def settings(self, manifest: Manifest) -> dict[str, Any]:
        """Return the host options of a machine; refuse those of other machines."""
        known = {option.field: option for option in manifest.host_options}
        found: dict[str, Any] = {}
        for field in HOST_FIELDS:
            if self._fields.get(field) is None:
                continue
            if field not in known:
                own = ", ".join(f"`{each}`" for each in known) or "none"
                mistake = f"the options of {manifest.title} are {own}, found `{field}`"
                self.files.mistakes.append(mistake)
                continue
            value = self._setting(known[field])
            if value is not None:
                found[known[field].name] = value
        return found

    def _setting(self, option: HostOption) -> Any:
        """Return a host option; None for a mistake. Choices have a name and a number."""
        key = option.field
        if option.kind == "choice":
            return self._choice(option)
        if option.kind == "flag":
            return self.flag(key, False)
        if option.kind == "integer":
            return self.number(key, option.least or 0, option.most or _MAX_WORD)
        value = self._fields[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.reject(key, f"a number such as 0.5, found {shown_value(value)}")
            return None
        return value

    def _choice(self, option: HostOption) -> str | None:
        value = self._fields[option.field]
        choice = option.choice(value) if isinstance(value, str) else None
        if type(value) is int and 0 <= value < len(option.choices):
            choice = option.choices[value]
        if choice is None:
            names = ", ".join(option.choices)
            self.reject(option.field, f"one of {names}, found {shown_value(value)}")
        return choice

    def objects(self, key: str) -> Iterator[ObjectReader]:
        values = self._fields.get(key)
        if values is None:
            return
        if not isinstance(values, list):
            self.reject(key, f"a list of objects, found {shown_value(values)}")
            return
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield ObjectReader(value, self.files, f"{key}[{index}].")
            else:
                self.reject(f"{key}[{index}]", f"an object, found {shown_value(value)}")

    def reject(self, key: str, reason: str) -> None:
        self.files.mistakes.append(f"`{self._prefix}{key}` is {reason}")


def shown_value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else quoted(str(value))
