"""The options of `ipu-run` that the instruction set of the program decides about.

The set is known when the program has been read; until then their values are texts.
"""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError, _ActionsContainer
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Sequence

from ipu_asm.cli.arguments import Option, repeated
from ipu_asm.config.kernel_keys import NAMED_VALUES
from ipu_asm.isa import HostOption, Manifest, manifests
from ipu_asm.isa.operands import number_value, quoted
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.testbench.data.source import Data

if TYPE_CHECKING:
    from ipu_asm.emulator.stated_options import StatedRegister
    from ipu_asm.testbench.data.memory import SavedRun
    from ipu_asm.testbench.data.numpy_files import Piece


_REGISTERS = 16
_PAIR = re.compile(r"[\w:]+=")
_OPENING, _CLOSING = "([{", ")]}"
_MIN_WORD, _MAX_WORD = -(1 << 31), (1 << 32) - 1


def number(text: str) -> int:
    """Return a number in the syntax of assembly. Raises `ArgumentTypeError`."""
    value = number_value(text)
    if value is None:
        raise ArgumentTypeError(
            f"expected a number such as 4096, 0x1000 or 1_000, found {quoted(text)}"
        )
    return value


def register_option(file: str, meaning: str, group: str = "") -> Any:
    """Declare `--cr` or `--lr`; in `meaning`, ``{}`` is the sort of register."""
    title = {"cr": "configuration", "lr": "loop"}[file]
    return repeated(
        f"--{file}",
        type=register_value,
        convert=dict,
        metavar="N=VALUE",
        help=f"{meaning.format(title)}; several may follow",
        group=group,
    )


def joined(
    arguments: Sequence[str], lists: Sequence[str], single: Sequence[str] = ()
) -> Iterator[str]:
    """Yield the arguments with ``--cr 4=64 5=1`` as ``--cr=4=64 --cr=5=1``, for options of `lists`.

    ``--load -@0`` becomes ``--load=-@0``, too: argparse takes ``-@0`` for an option.
    """
    option, rest = "", iter(arguments)
    for argument in rest:
        if argument in lists or argument in single:
            option, value = argument, next(rest, None)
            yield option if value is None else f"{option}={value}"
        elif option in lists and _PAIR.match(argument):
            yield f"{option}={argument}"
        else:
            option = ""
            yield argument


def register_value(text: str) -> tuple[int, int]:
    """Parse `N=VALUE`: the number of a register and its 32 bits, signed or unsigned.

    Returns the value as unsigned. Raises `ArgumentTypeError`.
    """
    name, separator, value_text = text.partition("=")
    index = number_value(name)
    if not separator or index is None:
        raise ArgumentTypeError(f"expected N=VALUE such as 3=0x1000, found {quoted(text)}")
    if not 0 <= index < _REGISTERS:
        raise ArgumentTypeError(f"there are registers 0 to {_REGISTERS - 1}, found {index}")
    value = number(value_text)
    if not _MIN_WORD <= value <= _MAX_WORD:
        raise ArgumentTypeError(f"a register has 32 bits, found {quoted(value_text)}")
    return index, value & _MAX_WORD


def named_value(text: str) -> tuple[str, str]:
    """Parse `REG=VALUE`: a name and the text of a number. Raises `ArgumentTypeError`."""
    name, separator, value = text.partition("=")
    if not separator or not name or number_value(value) is None:
        raise ArgumentTypeError(f"expected REG=VALUE such as r0=0x1000, found {quoted(text)}")
    return name, value


def outside_memory(address: int, length: int | None, size: int) -> str | None:
    """Return the mistake of a range that does not lie in a memory of `size` bytes."""
    if not 0 <= address < size:
        shown = hex(address) if address >= 0 else str(address)
        return f"xmem has {size:#x} bytes, found address {shown}"
    if length is not None and address + length > size:
        return f"xmem has {size:#x} bytes, found {length} bytes at {address:#x}"
    return None


def expressions_in(text: str) -> list[str]:
    """Return the expressions that commas outside of brackets separate. Raises `ArgumentTypeError`.

    A comma in an expression of the debugger begins a format; here a colon does.
    """
    found, depth, start = [], 0, 0
    for at, character in enumerate(f"{text},"):
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and (depth == 0 or at == len(text)):
            found.append(text[start:at].strip())
            start = at + 1
    if not all(found):
        raise ArgumentTypeError(f"expected expressions such as lr4,r0:i8, found {quoted(text)}")
    return found


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
        return {}  # an error when the program is read
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

    An instruction set without a machine has no memory, an error when the program is read.
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
