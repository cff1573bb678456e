"""The options of `ipu-run` that the instruction set of the program decides about.

The set is known when the program has been read; until then their values are texts.
"""

from __future__ import annotations

import math
from argparse import ArgumentTypeError, _ActionsContainer
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from ipu_asm.cli.arguments import Option
from ipu_asm.cli.run.option_values import number, outside_memory
from ipu_asm.config.kernel_keys import NAMED_VALUES
from ipu_asm.isa import manifests
from ipu_asm.isa.manifest import HostOption, Manifest
from ipu_asm.isa.operands import quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.source import Data

if TYPE_CHECKING:
    from ipu_asm.emulator.stated_options import StatedRegister
    from ipu_asm.testbench.data.numpy_files import Piece
    from ipu_asm.testbench.data.state_files import SavedRun


class WrongOptionError(Exception):
    """An option with a value that the instruction set of the program does not allow."""


class Host(NamedTuple):
    """What the host sets before the run: options of the machine, and data for its memory.

    `expected` are data to compare memory with after the run; `saved` is the state to begin with.
    `found` are registers that comments or the configuration state.
    """

    settings: Mapping[str, Any]
    memory: Sequence[Piece]
    expected: Sequence[Piece] = ()
    saved: SavedRun | None = None
    found: Sequence[StatedRegister] = ()


class HostOptions(Option):
    """The options of the machines of all sets, which the sets may describe differently.

    The value has those that are given, by name.
    """

    def add_to(self, parser: _ActionsContainer, dest: str) -> None:
        """Add all of them to a parser."""
        for name in _names():
            _add(parser, variants_of(name))

    def value(self, parsed: Mapping[str, Any], dest: str) -> dict[str, str | bool]:
        """Return those that are given."""
        return {name: parsed[name] for name in _names() if parsed[name] is not None}


def _names() -> list[str]:
    return list(dict.fromkeys(option.name for _, option in _every_option()))


def _add(parser: _ActionsContainer, variants: Mapping[str, HostOption]) -> None:
    by_text: dict[str, list[str]] = {}
    for isa, option in variants.items():
        by_text.setdefault(_help(option), []).append(isa)
    has_all = len(by_text) == 1 and len(variants) == len(_machines())
    texts = [text if has_all else f"{', '.join(isas)}: {text}" for text, isas in by_text.items()]
    first = next(iter(variants.values()))
    if first.kind == "flag":
        parser.add_argument(
            first.argument, action="store_true", default=None, help="; ".join(texts)
        )
        return
    metavar = {"choice": "TYPE", "integer": "N"}.get(first.kind, "X")
    parser.add_argument(first.argument, metavar=metavar, help="; ".join(texts))


def variants_of(name: str) -> dict[str, HostOption]:
    """Return the option of that name of each set whose machine has it."""
    return {isa: option for isa, option in _every_option() if option.name == name}


def settings_of(
    isa_name: str, given: Mapping[str, str | bool], cr: Mapping[int, int]
) -> dict[str, Any]:
    """Return the given host options as values for the machine of a set.

    `cr` are the values of registers. Raises `WrongOptionError` for an option or a value that the
    machine does not have.
    """
    manifest = manifests().get(isa_name)
    if manifest is None or not manifest.has_machine:
        return {}  # reading the program tells it
    known = {option.name: option for option in manifest.host_options}
    for name in given:
        if name not in known:
            raise WrongOptionError(_unknown(name, isa_name, manifest))
    settings = {name: _value(known[name], value) for name, value in given.items()}
    _check_registers(cr, known, settings)
    return settings


def check_memory(isa_name: str, requests: Mapping[str, Sequence[Data]]) -> None:
    """Check that ranges lie in the memory of a set's machine; `requests` has them by option.

    Raises `WrongOptionError`.
    """
    manifest = manifests().get(isa_name)
    if manifest is None or not manifest.has_machine:
        return
    for name in requests:
        for request in requests[name]:
            place = request.place
            mistake = outside_memory(place.address, place.size, manifest.memory_size)
            if mistake:
                raise WrongOptionError(f"argument {name}: {mistake}")


def read_pieces(requests: Sequence[Data], isa_name: str) -> list[Piece]:
    """Return data for the memory of a set's machine, before it exists. Raises `FileError`.

    An instruction set without a machine has no memory: reading the program tells it.
    """
    manifest = manifests().get(isa_name)
    size = manifest.memory_size if manifest else 0
    if not requests:
        return []
    from ipu_asm.testbench.data.numpy_files import read_piece  # 10 ms, for `zipfile`

    return [read_piece(data, size) for data in requests] if size else []


def _check_registers(
    cr: Mapping[int, int], known: Mapping[str, HostOption], settings: Mapping[str, Any]
) -> None:
    for name, value in settings.items():
        option = known[name]
        if option.register:
            wanted = option.choices.index(value)
            found = cr.get(int(option.register.removeprefix("cr")), wanted)
            if found != wanted:
                raise WrongOptionError(
                    f"{option.argument} sets {option.register} to {wanted}, --cr sets it to {found}"
                )


def _value(option: HostOption, given: str | bool) -> Any:
    try:
        return given if isinstance(given, bool) else _read(option, given)
    except ArgumentTypeError as error:
        raise WrongOptionError(f"argument {option.argument}: {error}") from None


def _read(option: HostOption, text: str) -> str | int | float:
    if option.kind == "choice":
        choice = option.choice(text)
        if choice is None:
            known = ", ".join(option.choices)
            raise ArgumentTypeError(f"expected one of {known}, found {quoted(text)}")
        return choice
    if option.kind == "integer":
        value = number(text)
        least = -math.inf if option.least is None else option.least
        most = math.inf if option.most is None else option.most
        if not least <= value <= most:
            raise ArgumentTypeError(f"expected {option.least} to {option.most}, found {value}")
        return value
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"expected a number such as 0.5, found {quoted(text)}") from None


def _unknown(name: str, isa_name: str, manifest: Manifest) -> str:
    argument = next(option.argument for _, option in _every_option() if option.name == name)
    own = ", ".join(option.argument for option in manifest.host_options) or "none"
    return f"argument {argument}: {isa_name} has the options {own}, found {argument}"


def _help(option: HostOption) -> str:
    if option.name in NAMED_VALUES:
        choices = f": {', '.join(option.choices)}" if option.choices else ""
        stated = f"what a comment `# CR {option.name} = ...` or ipu.toml states"
        return f"{option.summary}{choices} (default: {stated}, else off)"
    has_default = option.default is not None and option.default is not False
    default = f" (default: {option.default})" if has_default else ""
    if option.kind == "choice":
        return f"{option.summary}: {', '.join(option.choices)}{default}"
    limits = "" if option.most is None else f", {option.least} to {option.most}"
    return f"{option.summary}{limits}{default}"


def _machines() -> dict[str, Manifest]:
    return {name: each for name, each in manifests().items() if each.has_machine}


def _every_option() -> Iterator[tuple[str, HostOption]]:
    for name, manifest in _machines().items():
        yield from ((name, option) for option in manifest.host_options)
