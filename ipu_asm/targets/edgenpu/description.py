"""Description of EdgeNPU: buffers, operand types, layout, and the surface of its assembly.

Where the reference does not specify an operand's syntax, the docstring of the class does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Callable, Mapping, Sequence

from ipu_asm.diagnostics import (
    IMMEDIATE_OUT_OF_RANGE,
    UNKNOWN_KEYWORD,
    WRONG_OPERAND_TYPE,
    UnplacedFinding,
)
from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Field, Isa
from ipu_asm.isa.operands import (
    Choice,
    IntegerType,
    KeywordType,
    NamedRegister,
    OperandType,
    RegisterType,
    number_value,
    quoted,
    undefined_label_finding,
    with_article,
)
from ipu_asm.isa.storage import RegisterFile
from ipu_asm.isa.surface import ForeignSyntax, Surface
from ipu_asm.targets.edgenpu.instruction_spec import INSTRUCTION_SPEC
from ipu_asm.targets.edgenpu.manifest import MANIFEST

_INDEXED = re.compile(r"([A-Za-z]+)\[([^\]]*)\]")
_PAIR = re.compile(r"([0-9]+)[xX]([0-9]+)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_LOOKS_NUMERIC = re.compile(r"[+-]?[0-9]")
_NO_FLAG = "0"
_GRANULE_BITS = 16
_MAX_NUMBER_LENGTH = 9
_MAX_OFFERED = 16

ACTIVATION = RegisterFile(
    "activation",
    "activation buffer",
    tuple(f"AB[{number}]" for number in range(256)),
    "part of the activation memory, 256 KiB in all; compute instructions read and write them",
)

WEIGHT = RegisterFile(
    "weight",
    "weight buffer",
    tuple(f"WB[{number}]" for number in range(256)),
    "part of the weight memory, 256 KiB in all; `CONV` and `FC` read their weights there",
)

REGISTER_FILES = (ACTIVATION, WEIGHT)
UNITS_OF = {file.registers[0][:2]: frozenset(file.registers) for file in REGISTER_FILES}


class BufferType(RegisterType):
    """A buffer of one kind with its number, such as `AB[1]`; the field holds the number."""

    def __init__(self, name: str, file: RegisterFile) -> None:
        super().__init__(name, 8, [file], REGISTER_FILES)
        self._letters = file.registers[0][:2]

    def parse(self, text: str) -> int | UnplacedFinding:
        match = _INDEXED.fullmatch(text)
        index = number_value(match[2]) if match else None
        name = f"{match[1]}[{index}]" if match and index is not None else text
        value = self._values.get(name.lower())
        return self._problem(text) if value is None else value

    def _problem(self, text: str) -> UnplacedFinding:
        """Name the kind of operand found. Suggest no number: that would be a guess."""
        letters = text.partition("[")[0].upper()
        titles = {file.registers[0][:2]: file.title for file in REGISTER_FILES}
        found = quoted(text)
        if letters in titles and letters != self._letters:
            found += f", {with_article(titles[letters])}"
        elif letters == text.upper() == self._letters:
            found += " without a number"
        elif _LOOKS_NUMERIC.match(text):
            found = f"the number {found}"
        return self._wrong(found)

    def complete(self) -> Sequence[Choice]:
        """The first buffers only: the others differ just in their number."""
        return super().complete()[:_MAX_OFFERED]


class MemoryType(KeywordType):
    """The buffer memory that `LOAD` fills, without a buffer number: the field has one bit.

    `WB[0]` and `AB[0]` mean the same as `WB` and `AB`.
    """

    def names(self, text: str) -> Sequence[NamedRegister]:
        """The memory as a register, of which all its buffers are parts."""
        value = self.parse(text)
        return (
            [NamedRegister(self.spellings[value], 0, len(text))] if isinstance(value, int) else ()
        )

    def parse(self, text: str) -> int | UnplacedFinding:
        match = _INDEXED.fullmatch(text)
        if match and match[1].upper() in self.spellings:
            if number_value(match[2]) == 0:
                return super().parse(match[1])
            found = f"{quoted(text)}, whose number has no place in the field"
        elif text.upper() in self.spellings:
            return super().parse(text)
        else:
            found = quoted(text)
        return UnplacedFinding(WRONG_OPERAND_TYPE, f"expected {self.describe()}, found {found}")


class FlagsType(OperandType):
    """Flags joined by `|`, in any order; no flags are written as `0` or by omitting the operand."""

    def __init__(
        self, name: str, flags: Mapping[str, str], flags_of: Mapping[str, Sequence[str]]
    ) -> None:
        """`flags` maps flags, from bit 0 on, to meanings; `flags_of` lists flags by mnemonic."""
        super().__init__(name, 4)
        self.flags = dict(flags)
        self._bits = {flag: 1 << number for number, flag in enumerate(flags)}
        self._owners = {flag: owner for owner, names in flags_of.items() for flag in names}
        self._vocabulary = Vocabulary(tuple(flags))

    def parse(self, text: str) -> int | UnplacedFinding:
        if text == _NO_FLAG:
            return 0
        value = start = 0
        for word in text.split("|"):
            bit = self._bits.get(word.upper())
            if bit is None:
                return self._unknown(word, start)
            value |= bit
            start += len(word) + 1
        return value

    def _unknown(self, word: str, start: int) -> UnplacedFinding:
        message = f"expected {self.describe()}, found {quoted(word)}"
        owner = self._owners.get(word.upper())
        if owner is not None:
            message += f", a flag of `{owner}`"
        nearest = None if owner else self._vocabulary.intended(word)
        return UnplacedFinding(UNKNOWN_KEYWORD, message, nearest, (start, start + len(word)))

    def decode(self, bits: int) -> int | None:
        return bits if bits < 1 << len(self.flags) else None

    def format(self, value: int) -> str:
        names = [flag for flag, bit in self._bits.items() if value & bit]
        return " | ".join(names) or _NO_FLAG

    def describe(self) -> str:
        names = [f"`{flag}`" for flag in self.flags]
        return f"flags joined by `|` out of {', '.join(names[:-1])} and {names[-1]}"

    def complete(self) -> Sequence[Choice]:
        return [Choice(flag, meaning) for flag, meaning in self.flags.items()]

    def complete_part(self, begun: str) -> Sequence[Choice]:
        return self.complete() if not begun or begun.endswith("|") else ()


class DdrAddressType(IntegerType):
    """A 32-bit address in steps of 64 KiB, of which the field holds the upper 16 bits."""

    def __init__(self, name: str) -> None:
        super().__init__(name, 16, 0, (1 << 32) - (1 << _GRANULE_BITS))

    def parse(self, text: str) -> int | UnplacedFinding:
        value = super().parse(text)
        if isinstance(value, int) and value % (1 << _GRANULE_BITS):
            below = value >> _GRANULE_BITS << _GRANULE_BITS
            found = f"{quoted(text)}, 0x{value - below:x} past `{self.format(below)}`"
            return UnplacedFinding(
                IMMEDIATE_OUT_OF_RANGE, f"expected {self.describe()}, found {found}"
            )
        return value

    def encode(self, value: int) -> int:
        return value >> _GRANULE_BITS

    def decode(self, bits: int) -> int | None:
        return bits << _GRANULE_BITS

    def stored(self, value: int) -> int:
        return value

    def format(self, value: int) -> str:
        return f"0x{value:08x}"

    def describe(self) -> str:
        bounds = f"from `{self.format(self.minimum)}` to `{self.format(self.maximum)}`"
        return f"a DDR address {bounds} in steps of 64 KiB"


class NumberOrLabelType(OperandType):
    """A number, or a label, whose value is the address of the instruction that it names."""

    def __init__(self, name: str, width: int, hexadecimal: bool = False) -> None:
        super().__init__(name, width)
        self.hexadecimal = hexadecimal
        self._number = IntegerType(name, width, 0, (1 << width) - 1)

    def parse(self, text: str) -> int | str | UnplacedFinding:
        if _NAME.fullmatch(text):
            return text
        value = self._number.parse(text)
        if isinstance(value, UnplacedFinding):
            message = value.message.removeprefix("expected")
            return value._replace(message=f"expected a label or{message}")
        return value

    def resolve(
        self,
        text: str,
        address: int,
        labels: Mapping[str, int],
        nearest: Callable[[str], str | None],
    ) -> int | UnplacedFinding:
        if text in labels:
            return labels[text]
        return undefined_label_finding(text, nearest)

    def format(self, value: int) -> str:
        return f"0x{value:x}" if self.hexadecimal else str(value)

    def describe(self) -> str:
        return f"a label or {self._number.describe()}"


class PairType(OperandType):
    """Two numbers joined by `x`, such as `3x3`; the first one is in the field's lower bits."""

    def __init__(self, name: str, names: tuple[str, str], widths: tuple[int, int]) -> None:
        """`names` and `widths` (in bits) of the two numbers, in their order."""
        super().__init__(name, sum(widths))
        self.parts = names
        self.widths = widths

    def parse(self, text: str) -> int | UnplacedFinding:
        match = _PAIR.fullmatch(text)
        if match is None:
            message = f"expected {self.describe()}, found {quoted(text)}"
            return UnplacedFinding(WRONG_OPERAND_TYPE, message)
        for group, (name, width) in enumerate(zip(self.parts, self.widths), 1):
            digits = match[group].lstrip("0")
            if len(digits) > _MAX_NUMBER_LENGTH or int(digits or "0") >= 1 << width:
                most = (1 << width) - 1
                message = f"expected {name} from 0 to {most}, found {quoted(match[group])}"
                return UnplacedFinding(IMMEDIATE_OUT_OF_RANGE, message, part=match.span(group))
        return int(match[1]) | int(match[2]) << self.widths[0]

    def format(self, value: int) -> str:
        width = self.widths[0]
        return f"{value & ((1 << width) - 1)}x{value >> width}"

    def describe(self) -> str:
        bounds = " and ".join(f"0 to {(1 << width) - 1}" for width in self.widths)
        return f"{' and '.join(self.parts)} such as `2x3` ({bounds})"


_COMPUTE_FLAGS = {
    "RELU": "apply ReLU to the result",
    "BIAS": "add a bias",
    "RESIDUAL": "add the residual connection",
}

_LOAD_FLAGS = {
    "2D": "strided transfer of a rectangle",
    "ASYNC": "go on without waiting for the transfer",
}

_SYNC_FLAGS = {
    "WAIT_DMA": "wait for loads and stores",
    "WAIT_COMPUTE": "wait for compute instructions",
    "IRQ": "raise an interrupt",
}

_FLAGS_OF = {"CONV": tuple(_COMPUTE_FLAGS), "LOAD": tuple(_LOAD_FLAGS), "SYNC": tuple(_SYNC_FLAGS)}

_TYPES: tuple[OperandType, ...] = (
    BufferType("ActivationBuffer", ACTIVATION),
    BufferType("WeightBuffer", WEIGHT),
    MemoryType(
        "LoadTarget",
        8,
        "whole buffer memory",
        {"WB": "the weight memory", "AB": "the activation memory"},
    ),
    DdrAddressType("DdrAddress"),
    IntegerType("Length", 24, 0, (1 << 24) - 1),
    FlagsType("ComputeFlags", _COMPUTE_FLAGS, _FLAGS_OF),
    FlagsType("LoadFlags", _LOAD_FLAGS, _FLAGS_OF),
    FlagsType("SyncFlags", _SYNC_FLAGS, _FLAGS_OF),
    IntegerType("Barrier", 32, 0, (1 << 32) - 1),
    NumberOrLabelType("Cycles", 32),
    NumberOrLabelType("Descriptor", 32, hexadecimal=True),
    IntegerType("Features", 16, 0, (1 << 16) - 1),
    IntegerType("Axis", 2, 0, 3),
    PairType("WindowSize", ("a height", "a width"), (4, 4)),
    PairType("AxisSizes", ("a size of src0", "one of src1"), (14, 16)),
    KeywordType(
        "Pooling",
        2,
        "pooling type",
        {
            "MAX": "the greatest element of each window",
            "AVG": "the average of each window",
            "GLOBAL": "one window as large as the tensor",
        },
    ),
    KeywordType(
        "Activation",
        3,
        "activation function",
        {
            "NONE": "the elements as they are",
            "RELU": "max(x, 0)",
            "RELU6": "min(max(x, 0), 6)",
            "SIGMOID": "1 / (1 + exp(-x))",
            "TANH": "the hyperbolic tangent",
            "SWISH": "x * sigmoid(x)",
            "GELU": "x times the normal distribution's share below x",
        },
    ),
)

OPERAND_TYPES = {operand_type.name: operand_type for operand_type in _TYPES}

LAYOUT = (
    Field("opcode", 60, 4),
    Field("flags", 56, 4),
    Field("dst", 48, 8),
    Field("src0", 40, 8),
    Field("src1", 32, 8),
    Field("immediate", 0, 32),
)

# The instruction buffer has 16 KiB.
PROGRAM_LIMIT = 2048


@lru_cache(maxsize=1)
def load() -> Isa:
    """Return the instruction set, built from `INSTRUCTION_SPEC`."""
    return build_isa(
        IsaDescription(
            name="edgenpu",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=(SlotDescription("main", "Instruction", "", width=64, layout=LAYOUT),),
            instructions=INSTRUCTION_SPEC,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            units_of=UNITS_OF,
        )
    )


_COMMENTS = "comments run from `;` to the end of the line"

SURFACE = Surface(
    grammar="edgenpu",
    language_id=MANIFEST.language_id,
    word_pattern=r"[A-Za-z]+\[[A-Za-z0-9_]*\]|[\p{L}_][\p{L}0-9_.]*"
    r"|(?<![\p{L}0-9_.])[+-]?[0-9][\p{L}0-9_.]*",
    comments=(";",),
    bundle_end="",
    separator="",
    hints={
        "#": _COMMENTS,
        "//": _COMMENTS,
        "/*": f"{_COMMENTS}; there are no block comments",
        "\f": "only blanks, tabs and line breaks separate",
        "\ufeff": "a byte-order mark may stand only at the very start of a file",
        "+": "a sign belongs to the number that follows it, without a blank",
        "-": "a sign belongs to the number that follows it, without a blank",
        "&": "flags are joined by `|`",
        "||": "flags are joined by a single `|`",
        ".": "a name begins with a letter or `_`",
        "(": "a buffer's number stands in brackets",
        "{": "a buffer's number stands in brackets",
    },
    foreign=ForeignSyntax(comments=("#", "//"), sigils="#%$"),
    operand_separator=", ",
    case_insensitive=True,
)
