"""The inputs that a program itself names, for a launch that gives none."""

from __future__ import annotations

import os
from typing import Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.config.configuration import Configuration, ConfigurationError
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.debugger.explanations import name_with_purpose
from ipu_asm.emulator.stated_options import stated_registers, stated_text
from ipu_asm.ide.run_inputs import (
    COMMENT,
    HEADER,
    RunInputs,
    RunRegister,
    run_inputs,
    stated_run_registers,
)
from ipu_asm.isa import manifests
from ipu_asm.testbench.data.reading import Piece
from ipu_asm.testbench.data.source import Data, data_of
from ipu_lsp.debug_adapter.configuration import LaunchConfiguration

_WORD = 1 << 32
_LARGEST_DECIMAL = 1000
_TURNED_OFF = '"findInputs": false in the launch configuration turns this off.'
_ORIGINS = ((HEADER, "The head comment gives"), (COMMENT, "Comments give"))


def with_known_inputs(configuration: LaunchConfiguration, kernel: Kernel) -> LaunchConfiguration:
    """Return a launch with the registers and data that its program and project state.

    It is what the form of a run begins with (`ipu/runInputs`): the configuration file has given its
    part already and counts first. A launch with inputs of its own takes only the registers that
    `# CR` comments and `[kernel."GLOB"]` state, as `ipu-run` does. A hint says what is from where.
    """
    if not configuration.finds_inputs or kernel.is_image:
        return configuration
    if configuration.gives_inputs:
        return _with_stated(configuration, kernel)
    found = run_inputs(kernel.program, configuration.program, _nearest(configuration.program), {})
    given = {f"cr{n}" for n, _ in configuration.cr} | {f"lr{n}" for n, _ in configuration.lr}
    registers = [each for each in found.registers if each.name not in given]
    made_up = [] if configuration.inputs_origin else [data_of(each.text) for each in found.load]
    regions = [each.region for each in found.load]
    told = _told(configuration.inputs_origin, registers, list(zip(regions, made_up)), found)
    return configuration._replace(
        cr=configuration.cr + _values(registers, "cr"),
        lr=configuration.lr + _values(registers, "lr"),
        load=configuration.load + tuple(Piece(data, None) for data in made_up),
        hints=(*told, *configuration.hints),
    )


def _with_stated(configuration: LaunchConfiguration, kernel: Kernel) -> LaunchConfiguration:
    options = manifests()[kernel.isa.name].host_options
    given = {f"cr{n}" for n, _ in configuration.cr} | {f"lr{n}" for n, _ in configuration.lr}
    given |= {option.register for option in options if option.name in configuration.settings}
    stated = [each for each in stated_registers(kernel.lines) if each.name not in given]
    if not stated:
        return configuration
    file = os.path.basename(_nearest(configuration.program).path)
    registers = stated_run_registers(stated, file)
    return configuration._replace(
        cr=configuration.cr + _values(registers, "cr"),
        lr=configuration.lr + _values(registers, "lr"),
        hints=(f"{stated_text(stated, file)}. {_TURNED_OFF}", *configuration.hints),
    )


def _nearest(program: str) -> Configuration:
    try:
        return Configurations().nearest(os.path.dirname(program)) or Configuration()
    except ConfigurationError:
        return Configuration()  # reading the program says what matters of it


def _values(registers: Sequence[RunRegister], file: str) -> tuple[tuple[int, int], ...]:
    """The numbers and values of the registers of a file."""
    ours = [each for each in registers if each.name.startswith(file)]
    return tuple((int(each.name[2:]), each.value) for each in ours if each.value is not None)


def _told(
    origin: str,
    registers: Sequence[RunRegister],
    made_up: Sequence[tuple[str, Data]],
    found: RunInputs,
) -> tuple[str, ...]:
    """One line that says where the inputs are from; none where there are none."""
    told = [f"Registers and data are those of {origin}."] if origin else []
    file = os.path.basename(origin)
    others = {each.origin for each in registers} - {HEADER, COMMENT, "", file}
    for kind, beginning in (*_ORIGINS, *((name, f"{name} gives") for name in sorted(others))):
        values = [
            f"{each.name} = {_word(each.value)}"
            for each in registers
            if each.value is not None and each.origin == kind
        ]
        told += [f"{beginning} {', '.join(values)}."] if values else []
    if made_up:
        told.append(f"Made up: {', '.join(_region(name, data) for name, data in made_up)}.")
    if not told:
        return ()
    missing = [
        name_with_purpose(each.name, each.purpose) for each in registers if each.value is None
    ]
    missing += [f"data for {each.region} ({each.size_text})" for each in found.unknown]
    told += [f"Not known, so 0: {', '.join(missing)}."] if missing else []
    if not origin:
        told.append(_TURNED_OFF)
    return (" ".join(told),)


def _word(value: int) -> str:
    """Small numbers of both signs as decimals, others as addresses."""
    signed = value - _WORD if value >= _WORD // 2 else value
    return str(signed) if abs(signed) < _LARGEST_DECIMAL else f"{value:#x}"


def _region(name: str, data: Data) -> str:
    return f"{name} (random numbers, {data.place.size or 0:,} bytes at {data.place.address:#x})"
