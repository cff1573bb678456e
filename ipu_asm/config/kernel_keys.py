"""The values of registers, and the mode, that the host of a kernel sets: ``[kernel."GLOB"]``.

[kernel."kernels/conv*.s"]                # the first match wins
cr = {1 = 0x20000, 4 = [64, 128]}         # several values are several configurations
lr = {5 = 3}
wide = "fp32"                             # the elements of 32 bits, or a list
quantize = true                           # results of wide activations are bytes
stack = 2048                              # bytes that the linker reserves for the stack of a core
contexts = [{cr2 = 9, cr3 = 81}, {cr2 = 25, cr3 = 625}]   # values that belong together
"""

from __future__ import annotations

import re
from functools import partial
from itertools import product
from math import prod
from typing import Any, Mapping

from ipu_asm.config import KernelRun, Value, schema
from ipu_asm.config.schema import Field, SettingError, flag, list_of_strings, shortened, shown
from ipu_asm.config.source_keys import LONGEST_VALUE, checked_values
from ipu_asm.isa import HostOption, Manifest, manifests
from ipu_asm.isa.storage import signed

WIDE = "wide"
"""The name in a configuration of the mode of the machine, as its number in `WIDE_MODES`."""

WIDE_MODES = ("off", "fp32", "int32")
"""The modes of machines with wide elements."""

QUANTIZE = "quantize"
"""The name in a configuration of whether wide activations are quantized, as 0 or 1."""

STACK = "stack"
"""The name in a configuration of the bytes that the stack of a core has."""

NAMED_VALUES = {WIDE: WIDE_MODES, QUANTIZE: ("off", "on")}
"""The names of the values of settings that are no registers; a value is its place among them."""

MOST_CONFIGURATIONS = 16
"""The configurations of one kernel: what a program does is computed in each."""

_MAX_REGISTERS = 64
_REGISTER = re.compile(r"[a-z][a-z_]*\d{1,3}|[a-z][a-z0-9_]{0,15}", re.ASCII)
_NUMBER = re.compile(r"\d{1,3}", re.ASCII)
_LOWEST, _HIGHEST = -(1 << 31), (1 << 32) - 1


def registers_of(file: str, value: Any) -> Mapping[str, tuple[int, ...]]:
    """Return the values of registers of a file such as `cr`, by name. Raises `SettingError`."""
    if not isinstance(value, dict):
        raise SettingError("expected a table such as {4 = 64}", value)
    _check_length(value)
    found: dict[str, tuple[int, ...]] = {}
    for key, item in value.items():
        name = f"{file}{key}" if _NUMBER.fullmatch(key) else key.lower()
        if not re.fullmatch(rf"{file}\d{{1,3}}", name, re.ASCII):
            message = (
                f"expected the number of a register, as in {{4 = 64}}, found `{shortened(key)}`"
            )
            raise SettingError(message)
        found[name] = _values(name, item)
    _check_count(prod(map(len, found.values())))
    return found


def kernel_contexts(value: Any) -> tuple[Mapping[str, int], ...]:
    """Return the configurations of a list of tables. Raises `SettingError`."""
    if not isinstance(value, list):
        raise SettingError("expected a list of tables such as [{cr4 = 64}]", value)
    _check_count(len(value))
    return tuple(map(_context, value))


def wide_modes(value: Any) -> tuple[int, ...]:
    """Return the numbers of one mode or of several, by their names. Raises `SettingError`."""
    names = value if isinstance(value, list) else [value]
    if not 1 <= len(names) <= len(WIDE_MODES):
        raise SettingError(f"expected 1 to {len(WIDE_MODES)} modes, found {len(names):,}")
    return tuple(_named(WIDE, name) for name in names)


def quantize_values(value: Any) -> tuple[int, ...]:
    """Return 0 for `false` and 1 for `true`, or both. Raises `SettingError`."""
    values = value if isinstance(value, list) else [value]
    if not 1 <= len(values) <= 2:
        raise SettingError(f"expected true or false, found {len(values):,} values")
    return tuple(_named(QUANTIZE, each) for each in values)


def stack_bytes(value: Any) -> tuple[int, ...]:
    """Return the size of a stack. Raises `SettingError`."""
    number = _number(STACK, value)
    if number < 0:
        raise SettingError(f"expected a number of bytes, found {number:,}")
    return (number,)


def setting_text(name: str, value: int) -> str:
    """Return the signed value of a register or the name of a setting: `64`, `fp32`, `on`."""
    names = NAMED_VALUES.get(name, ())
    return names[value] if 0 <= value < len(names) else str(signed(value))


def configurations(settings: Mapping[str, Any]) -> tuple[Mapping[str, int], ...]:
    """Return all combinations of the values in a table. Raises `SettingError`."""
    registers: dict[str, tuple[int, ...]] = {**settings.get("cr", {}), **settings.get("lr", {})}
    registers |= {name: settings[name] for name in (*NAMED_VALUES, STACK) if name in settings}
    contexts: tuple[Mapping[str, int], ...] = settings.get("contexts") or ({},)
    _check_count(prod(map(len, registers.values())) * len(contexts))
    found = [
        {**dict(zip(registers, values)), **context}
        for context in contexts
        for values in product(*registers.values())
    ]
    return tuple(each for number, each in enumerate(found) if each not in found[:number] and each)


def _context(value: Any) -> Mapping[str, int]:
    if not isinstance(value, dict):
        raise SettingError("expected a table such as {cr4 = 64}", value)
    _check_length(value)
    for name in value:
        if not _REGISTER.fullmatch(name.lower()):
            raise SettingError(f"expected the name of a register, found `{shortened(name)}`")
    return {
        name.lower(): _named(name.lower(), item)
        if name.lower() in NAMED_VALUES
        else _number(name, item)
        for name, item in value.items()
    }


def _values(name: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        return (_number(name, value),)
    if not 1 <= len(value) <= MOST_CONFIGURATIONS:
        message = f"expected 1 to {MOST_CONFIGURATIONS} values, found {len(value):,}"
        raise SettingError(f"`{name}`: {message}")
    return tuple(_number(name, item) for item in value)


def _named(setting: str, value: Any) -> int:
    """The number of a value that has a name; those of `quantize` are truth values as well."""
    names = NAMED_VALUES[setting]
    if isinstance(value, bool) and setting == QUANTIZE:
        return int(value)
    if not isinstance(value, str) or value.lower() not in names:
        known = ", ".join(f"`{name}`" for name in names)
        expected = "true or false" if setting == QUANTIZE else f"one of {known}"
        raise SettingError(f"expected {expected}", value)
    return names.index(value.lower())


def _number(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise SettingError(f"`{name}`: expected a number, found {shown(value)}")
    if not _LOWEST <= value <= _HIGHEST:
        raise SettingError(f"`{name}`: expected a number of 32 bits, found {shown(value)}")
    return value


def _check_length(table: Mapping[str, Any]) -> None:
    if len(table) > _MAX_REGISTERS:
        raise SettingError(f"expected at most {_MAX_REGISTERS} registers, found {len(table):,}")


def _check_count(count: int) -> None:
    if count > MOST_CONFIGURATIONS:
        message = f"expected at most {MOST_CONFIGURATIONS} configurations, found {count:,}"
        raise SettingError(message)


MOST_DATA = 64
"""The files or generated data of one list."""

_ADDRESS = r"(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*)"
_ARGUMENT = re.compile(rf"\*?{_ADDRESS}", re.ASCII)
_DATA = re.compile(
    rf"(?P<source>.+)@{_ADDRESS}(?P<length>:(?:{_ADDRESS}|\d+(?:x\d+)+))?(?::[A-Za-z]\w*)?",
    re.ASCII | re.DOTALL,
)
_GENERATED = re.compile(r"(?:zeros|ones|ramp)|random:.*", re.DOTALL | re.IGNORECASE)
_WORD = (1 << 32) - 1


def run_fields() -> Mapping[str, Field]:
    """Return the fields of ``[kernel."GLOB".run]`` by their keys."""
    options: dict[str, list[HostOption]] = {}
    for manifest in manifests().values():
        for option in manifest.host_options:
            options.setdefault(option.argument.removeprefix("--"), []).append(option)
    return {
        "cr": partial(_registers, "cr"),
        "lr": partial(_registers, "lr"),
        "registers": _named_registers,
        "entry": schema.text,
        "args": arguments,
        "load": _data,
        "expect": _data,
        "define": _define,
        **{name: partial(_setting, variants) for name, variants in options.items()},
    }


_OF_WORDS = ("cr", "lr")
_OF_CODE = ("registers", "entry", "args")


def foreign_keys(run: KernelRun, manifest: Manifest) -> str:
    """Return a sentence about keys that the machine of a set does not have; else nothing."""
    own = [option.name for option in manifest.host_options]
    own += [*(_OF_CODE if manifest.runs_machine_code else _OF_WORDS), "load", "expect", "define"]
    given = {**run._asdict(), **run.settings}
    del given["settings"]
    wrong = next((name for name, value in given.items() if value and name not in own), None)
    if wrong is None:
        return ""
    wrong, keys = (name.replace("_", "-") for name in (wrong, ", ".join(own)))
    return f"the run of a kernel of {manifest.title} has the keys {keys}, found `{wrong}`"


def kernel_run(values: Mapping[str, Any]) -> KernelRun:
    """Return the run that the values of the keys make."""
    own = {name: value for name, value in values.items() if name in KernelRun._fields}
    others = {name.replace("-", "_"): values[name] for name in values if name not in own}
    return KernelRun(others, **own)


def _registers(file: str, value: Any) -> dict[int, int]:
    found = {}
    for name, values in registers_of(file, value).items():
        if len(values) > 1:
            raise SettingError(f"`{name}`: a run has one value, found {len(values)}")
        found[int(name.removeprefix(file))] = values[0] & _WORD
    return found


def _named_registers(value: Any) -> dict[str, int]:
    if not isinstance(value, dict):
        raise SettingError("expected a table such as {p0 = 0x70000}", value)
    _check_length(value)
    for name, number in value.items():
        if not _REGISTER.fullmatch(name.lower()):
            raise SettingError(f"expected the name of a register, found `{shortened(name)}`")
        if isinstance(number, bool) or not isinstance(number, int):
            raise SettingError(f"`{name}`: expected a number, found {shown(number)}")
    return dict(value)


def arguments(value: Any) -> tuple[str, ...]:
    """Return the arguments of a function as text. Raises `SettingError`."""
    if not isinstance(value, list) or len(value) > _MAX_REGISTERS:
        raise SettingError('expected a list such as ["*0x70000", 4]', value)
    for each in value:
        is_number = isinstance(each, int) and not isinstance(each, bool)
        if not is_number and not (isinstance(each, str) and _ARGUMENT.fullmatch(each)):
            raise SettingError('expected a number, or a pointer such as "*0x70000"', each)
    return tuple(map(str, value))


def _data(value: Any) -> tuple[str, ...]:
    texts = list_of_strings('a list such as ["weights.npy@0x20000"]')(value)
    if len(texts) > MOST_DATA:
        raise SettingError(f"expected at most {MOST_DATA} files, found {len(texts):,}")
    for text in texts:
        match = _DATA.fullmatch(text) if len(text) <= LONGEST_VALUE else None
        if match is None:
            raise SettingError(f"expected FILE@ADDR[:LENGTH][:DTYPE], found `{shortened(text)}`")
        if _GENERATED.fullmatch(match["source"]) and not match["length"]:
            raise SettingError(f"`{shortened(text)}` needs a length, as in `{text}:1024`")
    return texts


def _define(value: Any) -> dict[str, Value]:
    if not isinstance(value, dict):
        raise SettingError("expected a table such as {taps = 3}", value)
    return checked_values(value)


def _setting(options: list[HostOption], value: Any) -> str | bool | float:
    """Return the value as the command line has it; the set of the program checks it again."""
    if options[0].kind == "flag":
        return flag(value)
    if options[0].kind != "choice":
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise SettingError("expected a number", value)
    if isinstance(value, str) and any(option.choice(value) for option in options):
        return value
    names = ", ".join(dict.fromkeys(name for option in options for name in option.choices))
    raise SettingError(f"expected one of {names}", value)
