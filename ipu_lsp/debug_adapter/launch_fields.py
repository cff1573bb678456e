"""The fields of a launch configuration: readers of values that collect all mistakes.

By hand: importing cattrs takes an eighth of the adapter's start-up (110 of 830 ms); it converts
`"5"` to 5 unless each type gets a hook, and its errors do not name the value found or what can be
written instead. The hooks would be as long as this.
"""

from __future__ import annotations

import os
from math import prod
from typing import Any, Callable, Final, Iterator, TypeVar

from ipu_asm.config import Value
from ipu_asm.config.files import FileError, Target
from ipu_asm.config.kernel_keys import arguments
from ipu_asm.config.schema import SettingError
from ipu_asm.config.source_keys import check_name, context_value
from ipu_asm.isa import HostOption, Manifest, manifests
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
from ipu_lsp.transport import Json

_T = TypeVar("_T")
Reader = Callable[[Any], _T]
"""Converts the value of a field. Raises `SettingError`: what it has to be, and what was found."""

HOST_FIELDS: Final = tuple(
    dict.fromkeys(
        option.field for manifest in manifests().values() for option in manifest.host_options
    )
)
"""The fields for options of machines."""
_MEBIBYTE: Final = 1 << 20
ENDLESS: Final = 1 << 62
_REGISTERS: Final = 16
_MIN_WORD, _MAX_WORD = -(1 << 31), (1 << 32) - 1


class LaunchFiles:
    """What the objects of one configuration share: a folder, the input files, and all mistakes."""

    def __init__(self) -> None:
        self.memory_size = 0
        self.folder = os.curdir
        self.mistakes: list[str] = []
        self.inputs: list[Target] = []

    def content(self, path: str, read: Callable[[Target], _T], otherwise: _T) -> _T:
        """Return the content of an input; `otherwise` if it cannot be read."""
        self.inputs.append(Target(path))
        try:
            if os.path.exists(path) and not os.path.isdir(path) and not os.path.isfile(path):
                # A pipe or a device may never end.
                raise FileError("not a regular file", path)
            return read(self.inputs[-1])
        except FileError as error:
            self.mistakes.append(str(error))
            return otherwise

    def path(self, value: object) -> str:
        """Read an absolute path; relative ones start from the folder."""
        text = text_reader("a path")(value)
        try:
            os.fsencode(text)
            path = os.path.expanduser(path_of(text))
            return os.path.abspath(os.path.join(self.folder, path))
        except (OSError, ValueError) as error:  # the current folder may be gone
            raise SettingError(f"a path, found {_shown(value)}: {error}") from None

    def existing_folder(self, value: object) -> str:
        path = self.path(value)
        if not os.path.isdir(path):
            raise SettingError(f"a folder, found `{path}`")
        return path

    def source(self, value: object) -> DataSource:
        """Read the name of data, with an absolute path. Raises `DataError`, too."""
        source = source_of(text_reader("a path")(value))
        if source.generator:
            return source
        path = self.path(source.file)
        shown = f"{path}[{source.member}]" if source.member else path
        return source._replace(file=path, text=shown)


class Fields:
    """The fields of an object; `prefix` is its place in the configuration."""

    def __init__(self, given: Json, files: LaunchFiles, prefix: str = "") -> None:
        self.files = files
        self._given = given
        self._prefix = prefix

    def has(self, key: str) -> bool:
        return self._given.get(key) is not None

    def read(self, key: str, reader: Reader[_T], otherwise: _T, is_needed: bool = False) -> _T:
        """Return the value of a field; `otherwise` if it is missing or has a mistake."""
        value = self._given.get(key)
        if value is None and not is_needed:
            return otherwise
        try:
            return reader(value)
        except SettingError as error:
            self.reject(key, error.text(_shown))
        except DataError as error:
            self.files.mistakes.append(f"`{self._prefix}{key}`: {error}")
        return otherwise

    def reject(self, key: str, reason: str) -> None:
        self.files.mistakes.append(f"`{self._prefix}{key}` is {reason}")

    def objects(self, key: str) -> Iterator[Fields]:
        """Yield the fields of each object of an optional list."""
        values: list[Any] = self.read(key, _list, [])
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield Fields(value, self.files, f"{key}[{index}].")
            else:
                self.reject(f"{key}[{index}]", f"an object, found {_shown(value)}")

    def registers(self, file: str) -> tuple[tuple[int, int], ...]:
        """Parse `{"0": 4096, "lr1": "0x10"}`: registers of a file with their values."""
        values: Json = self.read(file, _object('{"0": 4096}'), {})
        fields, found = Fields(values, self.files, f"{file}."), dict[int, int]()
        for key in values:
            index = number_value(key.lower().removeprefix(file))
            if index is None or not 0 <= index < _REGISTERS:
                message = f"`{file}` has the registers 0 to 15, found {quoted(key)}"
                self.files.mistakes.append(message)
            else:
                value = fields.read(key, number_reader(_MIN_WORD, _MAX_WORD), 0, is_needed=True)
                found[index] = value & _MAX_WORD
        return tuple(found.items())

    def named_registers(self, manifest: Manifest) -> dict[str, int]:
        """Parse `{"p0": "0x70000"}`, for machines whose registers are not those of the IPU."""
        if manifest.runs_machine_code:
            for key in filter(self.has, ("cr", "lr")):
                own = 'given as `"registers": {"p0": "0x70000"}`'
                self.reject(key, f"for the IPU; registers of {manifest.title} are {own}")
        values: Json = self.read("registers", _object('{"p0": "0x70000"}'), {})
        if values and not manifest.runs_machine_code:
            self.reject("registers", f"for other machines; {manifest.title} has `cr` and `lr`")
        fields = Fields(values, self.files, "registers.")
        number = number_reader(-(1 << 1023), ENDLESS)
        return {name: fields.read(name, number, 0, is_needed=True) for name in values}

    def values(self, key: str) -> dict[str, Value]:
        """Parse `{"cols": 4}`: names with numbers, booleans, texts, lists or objects of these."""
        found: dict[str, Value] = {}
        given: Json = self.read(key, _object('{"cols": 4}'), {})
        for name, value in given.items():
            try:
                check_name(name)
                found[name] = context_value(value)
            except SettingError as error:
                self.reject(f"{key}.{name:.40}", str(error).removeprefix("expected "))
        return found

    def settings(self, manifest: Manifest) -> dict[str, Any]:
        """Return the host options of a machine; refuse those of other machines."""
        known = {option.field: option for option in manifest.host_options}
        found: dict[str, Any] = {}
        for field in filter(self.has, HOST_FIELDS):
            if field not in known:
                own = ", ".join(f"`{each}`" for each in known) or "none"
                mistake = f"the options of {manifest.title} are {own}, found `{field}`"
                self.files.mistakes.append(mistake)
                continue
            value = self.read(field, _host_option(known[field]), None)
            if value is not None:
                found[known[field].name] = value
        return found


def text_reader(wanted: str) -> Reader[str]:
    return _of_type(str, wanted)


def _of_type(type_: type[_T], wanted: str) -> Reader[_T]:
    def read(value: object) -> _T:
        if not isinstance(value, type_):
            raise SettingError(wanted, value)
        return value

    return read


def _object(example: str) -> Reader[Json]:
    return _of_type(dict, f"an object such as {example}")


def _list(value: object) -> list[Any]:
    return _of_type(list, "a list of objects")(value)


def flag(value: object) -> bool:
    return _of_type(bool, "true or false")(value)


def number_reader(least: int, most: int) -> Reader[int]:
    """A whole number, given as a number or as text such as `0x1000`."""

    def read(value: object) -> int:
        number = number_value(value) if isinstance(value, str) else value
        if type(number) is not int:
            raise SettingError("a number such as 4096 or `0x1000`", value)
        if not least <= number <= most:
            limits = f"{least} or more" if most == ENDLESS else f"{least} to {most:#x}"
            raise SettingError(limits, value)
        return number

    return read


def mebibytes(value: object) -> int:
    return _MEBIBYTE * number_reader(1, 1 << 16)(value)


def shape_reader(most: int) -> Reader[Shape]:
    """A length or a shape such as `20x128` of at most `most` elements."""

    def read(value: object) -> Shape:
        if not isinstance(value, str) or number_value(value) is not None:
            return (number_reader(1, most)(value),)
        try:
            shape = shape_of(value)
        except DataError as error:
            raise SettingError(str(error).removeprefix("expected ")) from None
        if prod(shape) > most:
            raise SettingError(f"of at most {most:,} elements, found {quoted(value)}")
        return shape

    return read


def arguments_reader(value: object) -> tuple[str, ...]:
    try:
        return arguments(value)
    except SettingError as error:
        raise SettingError(error.message.removeprefix("expected "), error.found) from None


def dtype_reader(value: object) -> str:
    try:
        return dtype_of(text_reader("the name of a type such as `i8`")(value))
    except DataError as error:
        raise SettingError(str(error).removeprefix("expected ")) from None


def _host_option(option: HostOption) -> Reader[Any]:
    if option.kind == "flag":
        return flag
    if option.kind == "integer":
        return number_reader(option.least or 0, option.most or _MAX_WORD)

    def choice(value: object) -> str:
        """Choices have a name and a number."""
        found = option.choice(value) if isinstance(value, str) else None
        if type(value) is int and 0 <= value < len(option.choices):
            found = option.choices[value]
        if found is None:
            raise SettingError(f"one of {', '.join(option.choices)}", value)
        return found

    def number(value: object) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingError("a number such as 0.5", value)
        return value

    return choice if option.kind == "choice" else number


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "`true`" if value else "`false`"
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else quoted(str(value))
