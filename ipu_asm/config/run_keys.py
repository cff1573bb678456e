"""What a kernel is run with where the user gives nothing: ``[kernel."GLOB".run]``.

[kernel."conv*.s".run]
dtype = "int8"                            # options of the machine, as ipu-run has them
cr = {0 = 0x0, 1 = 0x20000}               # one value each
load = ["image.npy@0x0", "random:7@0x20000:1152"]     # files beside this one, or generated
expect = ["out.npy@0x40000"]              # compared after the run
define = {taps = 3}                       # of a template

It is one run of many: no analysis takes its values for facts, as it does `cr` above the table.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Any, Callable, Mapping

from ipu_asm.config.configuration import KernelRun, Value
from ipu_asm.config.kernel_keys import registers_of
from ipu_asm.config.setting_error import SettingError, shortened, shown
from ipu_asm.config.source_keys import LONGEST_VALUE, checked_values
from ipu_asm.isa import manifests
from ipu_asm.isa.manifest import HostOption

MOST_DATA = 64
"""The files or generated data of one list."""

_NUMBER = r"(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|\d[\d_]*)"
_DATA = re.compile(
    rf"(?P<source>.+)@{_NUMBER}(?P<length>:(?:{_NUMBER}|\d+(?:x\d+)+))?(?::[A-Za-z]\w*)?",
    re.ASCII | re.DOTALL,
)
_GENERATED = re.compile(r"(?:zeros|ones|ramp)|random:.*", re.DOTALL | re.IGNORECASE)
_WORD = (1 << 32) - 1


@cache
def run_settings() -> Mapping[str, Callable[[Any], Any]]:
    """Return the keys, each with what reads its value and raises `SettingError`."""
    options: dict[str, list[HostOption]] = {}
    for manifest in manifests().values():
        for option in manifest.host_options:
            options.setdefault(option.argument.removeprefix("--"), []).append(option)
    return {
        "cr": partial(_registers, "cr"),
        "lr": partial(_registers, "lr"),
        "load": _data,
        "expect": _data,
        "define": _define,
        **{name: partial(_setting, variants) for name, variants in options.items()},
    }


def kernel_run(values: Mapping[str, Any]) -> KernelRun:
    """Return the run that the values of the keys make; `-` in keys has become `_`."""
    own = {name: value for name, value in values.items() if name in KernelRun._fields}
    settings = {name: value for name, value in values.items() if name not in own}
    return KernelRun(settings, **own)


def _registers(file: str, value: Any) -> dict[int, int]:
    found = {}
    for name, values in registers_of(file, value).items():
        if len(values) > 1:
            raise SettingError(f"`{name}`: a run has one value, found {len(values)}")
        found[int(name.removeprefix(file))] = values[0] & _WORD
    return found


def _data(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise SettingError(f'expected a list such as ["weights.npy@0x20000"], found {shown(value)}')
    if len(value) > MOST_DATA:
        raise SettingError(f"expected at most {MOST_DATA} files, found {len(value):,}")
    for text in value:
        match = _DATA.fullmatch(text) if len(text) <= LONGEST_VALUE else None
        if match is None:
            raise SettingError(f"expected FILE@ADDR[:LENGTH][:DTYPE], found `{shortened(text)}`")
        if _GENERATED.fullmatch(match["source"]) and not match["length"]:
            raise SettingError(f"`{shortened(text)}` needs a length, as in `{text}:1024`")
    return tuple(value)


def _define(value: Any) -> dict[str, Value]:
    if not isinstance(value, dict):
        raise SettingError(f"expected a table such as {{taps = 3}}, found {shown(value)}")
    return checked_values(value)


def _setting(options: list[HostOption], value: Any) -> str | bool | float:
    """Return the value as the command line has it; the set of the program checks it again."""
    if options[0].kind == "flag":
        if isinstance(value, bool):
            return value
        raise SettingError(f"expected true or false, found {shown(value)}")
    if options[0].kind != "choice":
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise SettingError(f"expected a number, found {shown(value)}")
    if isinstance(value, str) and any(option.choice(value) for option in options):
        return value
    names = ", ".join(dict.fromkeys(name for option in options for name in option.choices))
    raise SettingError(f"expected one of {names}, found {shown(value)}")
