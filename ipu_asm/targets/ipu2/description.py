"""Description of IPU 2: registers, operand types, slots, and the surface of its assembly."""

from __future__ import annotations

from typing import Sequence

from ipu_asm.diagnostics import IMMEDIATE_OUT_OF_RANGE, WRONG_OPERAND_TYPE, UnplacedFinding
from ipu_asm.isa.build import IsaDescription, SlotDescription, build_isa
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import (
    Choice,
    IntegerType,
    KeywordType,
    NamedRegister,
    OperandType,
    RegisterType,
    number_value,
    quoted,
)
from ipu_asm.isa.storage import AddressSpace, MemLines, RegisterFile
from ipu_asm.isa.surface import ForeignMnemonic, ForeignSyntax, by_name
from ipu_asm.targets.ipu2.instruction_spec import INSTRUCTION_SPEC, PSEUDO_INSTRUCTIONS
from ipu_asm.targets.ipu2.manifest import MANIFEST
from ipu_asm.targets.ipu_family import PROGRAM_LIMIT
from ipu_asm.targets.ipu_family import descriptions as ipu_family
from ipu_asm.targets.ipu_family.descriptions import (
    CONFIG_REGISTERS,
    IMMEDIATE_BOUNDS,
    LABEL,
    LOOP,
    VERTICAL_STRIDE,
    common_mnemonics,
    reloaded_on_change,
)


class FieldFillingInteger(IntegerType):
    """An unsigned number that takes all bits of the field that it shares."""

    is_elastic = True

    def __init__(self, name: str, width: int, every_file: Sequence[RegisterFile]) -> None:
        super().__init__(name, width, 0, (1 << width) - 1, every_file=every_file)
        self._every_file = every_file

    def fitted(self, width: int) -> OperandType:
        return FieldFillingInteger(self.name, width, self._every_file)


class OffsetInteger(IntegerType):
    """A number that is stored without its lowest value: the bits of 1 to 9 are 0 to 8."""

    def encode(self, value: int) -> int:
        return value - self.minimum

    def stored(self, value: int) -> int:
        return value

    def decode(self, bits: int) -> int | None:
        value = bits + self.minimum
        return value if value <= self.maximum else None


class NumberOrRegister(OperandType):
    """A number or one of as many registers; the highest bit of the field distinguishes them.

    The value of a register is its number plus the count of registers.
    """

    is_elastic = True

    def __init__(
        self, name: str, width: int, file: RegisterFile, every_file: Sequence[RegisterFile]
    ) -> None:
        super().__init__(name, width)
        self.count = 1 << width - 1
        self.files = (file,)
        # Both halves have the words of the types that they are.
        self._file, self._every_file = file, every_file
        self._registers = RegisterType(name, width, [file], every_file)
        self._numbers = IntegerType(name, width, 0, self.count - 1)

    def fitted(self, width: int) -> OperandType:
        return NumberOrRegister(self.name, width, self._file, self._every_file)

    def parse(self, text: str) -> int | UnplacedFinding:
        number = number_value(text)
        if number is not None:
            if 0 <= number < self.count:
                return number
            kind = IMMEDIATE_OUT_OF_RANGE
        else:
            kind = WRONG_OPERAND_TYPE
            register = self._registers.parse(text)
            if isinstance(register, int) and register < self.count:
                return self.count + register
        return UnplacedFinding(kind, f"expected {self.describe()}, found {quoted(text)}")

    def names(self, text: str) -> Sequence[NamedRegister]:
        value = self.parse(text)
        register = self.register_of(value) if isinstance(value, int) else None
        return [NamedRegister(register, 0, len(text))] if register else ()

    def register_of(self, value: int) -> str | None:
        return self._file.registers[value - self.count] if value >= self.count else None

    def format(self, value: int) -> str:
        return self.register_of(value) or str(value)

    def describe(self) -> str:
        last = self._file.registers[self.count - 1]
        return (
            f"{self._numbers.describe()} or one of the {self._file.title}s "
            f"`{self._file.registers[0]}` to `{last}`"
        )

    def complete(self) -> Sequence[Choice]:
        numbers = [Choice(str(number), "number") for number in range(self.count)]
        registers = self._file.registers[: self.count]
        return numbers + [Choice(register, self._file.title) for register in registers]


class ToleratedKeyword(KeywordType):
    """A keyword type whose codes past the list act as the first keyword when they are executed."""

    def decode(self, bits: int) -> int | None:
        return super().decode(bits) or 0


MULT_STAGE = RegisterFile(
    "mult_stage",
    "mult-stage register",
    ("r0", "r1"),
    "128 elements, together 256 factors of the multiplier; loaded by `LDR_MULT_REG`",
    elements=128,
)

CONFIG = RegisterFile(
    "cr",
    "config register",
    CONFIG_REGISTERS,
    "32 bits, set by the host before a run; `cr0` is always 0 and `cr1` always 1, `cr15` is 128 "
    "unless the host sets it: as a data structure, 128 valid elements",
)

PAIR = RegisterFile(
    "lrd",
    "loop register pair",
    tuple(f"lrd{number}" for number in range(0, 16, 2)),
    "64 bits, eight bytes of data: the loop register of the same number, which has the lower four, "
    "and the next one",
)

REGISTER_FILES = (MULT_STAGE, LOOP, CONFIG, PAIR)

UNITS_OF = {
    pair: frozenset(LOOP.registers[2 * number : 2 * number + 2])
    for number, pair in enumerate(PAIR.registers)
}

SPACES = {
    # The size of a row in narrow, FP32 and INT32 mode.
    "xmem": AddressSpace(8 << 20, rows=(128, 512, 512)),
    "r_cyclic": AddressSpace(512, step=128, is_register=True),
    "r": AddressSpace(256, is_register=True, parts=MULT_STAGE.registers),
}

CONSTANTS = {"cr0": 0, "cr1": 1}
RESETS = {"cr1": 1, "cr15": 128}

# The host sets none of these, so that they hold nothing before a kernel has loaded them.
SCRATCH = frozenset((*MULT_STAGE.registers, "r_cyclic"))

# The first assembler wrote words without leading zeros, and its loader took any number.
MEM_LINES = MemLines("0x0", 8, reads_numbers=True)

_TYPES: tuple[OperandType, ...] = (
    RegisterType("MultStageReg", 2, [MULT_STAGE], REGISTER_FILES),
    RegisterType("LrIdx", 4, [LOOP], REGISTER_FILES),
    RegisterType("CrIdx", 4, [CONFIG], REGISTER_FILES),
    RegisterType("DstructureCrIdx", 4, [CONFIG], REGISTER_FILES),
    RegisterType("LcrIdx", 5, [LOOP, CONFIG], REGISTER_FILES),
    RegisterType("LrdIdx", 3, [PAIR], REGISTER_FILES),
    FieldFillingInteger("LrIncDecImmediate", 8, REGISTER_FILES),
    IntegerType("AddbiImmediate", 8, -128, 255, every_file=REGISTER_FILES),
    OffsetInteger("LrModPow2KImmediate", 4, 1, 9, every_file=REGISTER_FILES),
    IntegerType("MultMaskOffsetImmediate", 3, 0, 7, every_file=REGISTER_FILES),
    NumberOrRegister("LrOrReshapeMaskImmediate", 4, LOOP, REGISTER_FILES),
    IntegerType("BreakImmediate", 16, *IMMEDIATE_BOUNDS, signed=False, every_file=REGISTER_FILES),
    LABEL,
    KeywordType(
        "ElementsInRow",
        2,
        "number of elements in a row",
        {
            "16": "8 rows of 16 elements",
            "32": "4 rows of 32 elements",
            "64": "2 rows of 64 elements",
        },
    ),
    KeywordType(
        "HorizontalStride",
        2,
        "horizontal stride",
        {"off": "every column", "on": "columns 0, 2, 4, ...", "on_inv": "columns 1, 3, 5, ..."},
        reserved="reserved",
    ),
    VERTICAL_STRIDE,
    ToleratedKeyword(
        "ActivationFn",
        4,
        "activation function",
        {
            "identity": "x",
            "relu": "x if x > 0, else 0",
            "relu6": "x limited to 0..6",
            "sigmoid": "1 / (1 + exp(-x))",
            "tanh": "the hyperbolic tangent of x",
            "gelu": "x / 2 * (1 + erf(x / sqrt(2)))",
            "softplus": "log(1 + exp(x))",
            "elu": "x if x >= 0, else alpha * (exp(x) - 1); the host sets alpha",
            "exp2": "2 to the power of x",
            "reciprocal": "1 / x; 0 for 0",
            "rsqrt": "1 / sqrt(x); 0 unless x > 0",
            "silu": "x / (1 + exp(-x))",
        },
    ),
)

OPERAND_TYPES = {operand_type.name: operand_type for operand_type in _TYPES}

# From the highest bits of the word to the lowest; operand types share fields.
SLOTS = (
    SlotDescription("cond", "Control flow", "NOP", shares_fields=True),
    SlotDescription(
        "lr",
        "Loop registers",
        "NOP",
        capacity=3,
        exclusive_writes=True,
        shares_fields=True,
        least_width=20,
        widened="LrModPow2KImmediate",
    ),
    SlotDescription("load", "Load", "NOP", shares_fields=True),
    SlotDescription("mult", "Multiply", "NOP", shares_fields=True),
    SlotDescription("acc", "Accumulate", "NOP", shares_fields=True),
    SlotDescription("aaq", "Activation and quantisation", "NOP", shares_fields=True),
    SlotDescription("store", "Store", "NOP", shares_fields=True),
    SlotDescription(
        "acc_store", "Accumulator store", "NOP", shares_fields=True, simulation_only=True
    ),
    SlotDescription("break", "Break", "NOP", shares_fields=True),
)


@reloaded_on_change(INSTRUCTION_SPEC)
def load() -> Isa:
    """Return the instruction set, rebuilt if entries of `INSTRUCTION_SPEC` have changed."""
    return build_isa(
        IsaDescription(
            name="ipu2",
            family="ipu_family",
            title=MANIFEST.title,
            surface=SURFACE,
            slots=SLOTS,
            instructions=INSTRUCTION_SPEC,
            pseudo_instructions=PSEUDO_INSTRUCTIONS,
            operand_types=OPERAND_TYPES,
            register_files=REGISTER_FILES,
            program_limit=PROGRAM_LIMIT,
            executor="Ipu2",
            units_of=UNITS_OF,
            spaces=SPACES,
            scratch=SCRATCH,
            constants=CONSTANTS,
            resets=RESETS,
            mem_lines=MEM_LINES,
        )
    )


_NO_AAQ_REGISTERS = "there are no aaq registers"

MNEMONICS = common_mnemonics(uses_capitals=True) | by_name(
    {
        # The first IPU.
        "incr": ForeignMnemonic(
            "`INC` adds a number to a loop register, `DEC` subtracts", ("INC",)
        ),
        "acc": ForeignMnemonic(
            "`ACC.ADD` adds the products to the accumulator", ("ACC.ADD",), is_renamed=True
        ),
        "acc.first": ForeignMnemonic(
            "`ACC.ADD.FIRST` puts the products into the accumulator",
            ("ACC.ADD.FIRST",),
            is_renamed=True,
        ),
        "mult.ve.cyclic": ForeignMnemonic("", ("MULT.RC.VE",), is_renamed=True),
        "reset_acc": ForeignMnemonic(
            "`ACC.ADD.FIRST` starts a new sum, so that nothing needs to be reset"
        ),
        "acc.add_aaq acc.add_aaq.first": ForeignMnemonic(
            f"{_NO_AAQ_REGISTERS}: the accumulator adds products only (`ACC.ADD`)"
        ),
        "mult.ev": ForeignMnemonic(
            "`MULT.RC.VE` multiplies elements of r_cyclic by one of r0 and r1"
        ),
        "mult.ve.cr": ForeignMnemonic(
            "`MULT.RC.VE` with a cr as its source multiplies by the low byte of that register"
        ),
        "mult.ve.aaq": ForeignMnemonic(
            f"{_NO_AAQ_REGISTERS}: `MULT.RC.VE` multiplies by an element of r0 and r1, or by a cr"
        ),
        "agg": ForeignMnemonic(
            "`AGG.SUM` and `AGG.MAX` aggregate the products into one word of the accumulator, "
            "`AGG.SUM.FIRST` and `AGG.MAX.FIRST` whatever it held"
        ),
        "aaq": ForeignMnemonic("`ACTIVATE.QUANTIZE` turns the accumulator into bytes"),
        "xmem.store_aaq_result": ForeignMnemonic(
            "`STR_POST_AAQ_REG` stores what `ACTIVATE.QUANTIZE` has made", ("STR_POST_AAQ_REG",)
        ),
        "noop break_nop xmem_nop mult_nop acc_nop aaq_nop": ForeignMnemonic(
            "`NOP` is the no-op of every slot", ("NOP",), is_idle=True
        ),
        # Others.
        "mov mv movi li ldi": ForeignMnemonic(
            "`SET` copies a config register into a loop register, `ADD` with a zero a loop register"
        ),
        "bltz bgez": ForeignMnemonic("`BLT` and `BGE` with cr0 compare with zero"),
        "beqz": ForeignMnemonic("`BZ` goes to a label if a register is zero", ("BZ",)),
        "bnez": ForeignMnemonic("`BNZ` goes to a label unless a register is zero", ("BNZ",)),
        "decr subi": ForeignMnemonic("`DEC` takes the number to subtract", ("DEC",)),
        "addi": ForeignMnemonic("`INC` adds a number to a loop register"),
        "ld ldr lw load": ForeignMnemonic(
            "`LDR_MULT_REG`, `LDR_CYCLIC_MULT_REG` and `LDR_MULT_MASK_REG` read memory"
        ),
        "st str sw store": ForeignMnemonic("`STR_POST_AAQ_REG` writes memory"),
    }
)

FOREIGN = ForeignSyntax(MNEMONICS, sigils="%$")

HINTS = {
    **ipu_family.SURFACE.hints,
    "register =": "registers are written by instructions, without `=`: `SET lr0 cr2` copies a "
    "config register into a loop register, `INC lr0 5` adds a number",
}

SURFACE = ipu_family.SURFACE._replace(foreign=FOREIGN, hints=HINTS, case_insensitive=True)
