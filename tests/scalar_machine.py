"""A second model of the IPU in plain scalar Python: the oracle of the emulator's property tests.

It shares nothing with the emulator: no numpy, no instruction table, no assembler. Bundles are cut
up by the literal bit table of the machine description, one element is computed after the other,
and the 8-bit floats are decoded from the definition of their formats. It is slow and meant to be
read side by side with the description.

Vocabulary: a *word* is an unsigned 32-bit pattern; it means an int32 in INT8 mode (`cr15` = 0)
and a float32 in every other mode. A *bundle* is a 179-bit integer, or None where nothing was
loaded.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple, NoReturn, TypeAlias

INT8: Final = 0
FP8_E4M3: Final = 1
FP8_E5M2: Final = 2

PROGRAM_SIZE: Final = 1024
XMEM_SIZE: Final = 1 << 21
LANES: Final = 128
CYCLIC_SIZE: Final = 512
MASK_BYTES: Final = 16

# Highest and lowest bit of every field; operands are numbered in the order of their slot.
FIELDS: Final[dict[str, tuple[int, int]]] = {
    "break": (178, 177), "break.lr": (176, 173), "break.immediate": (172, 157),
    "xmem": (156, 154), "xmem.register": (153, 152), "xmem.lr0": (151, 148),
    "xmem.lr1": (147, 144), "xmem.cr": (143, 140),
    "mult": (139, 137), "mult.register": (136, 135), "mult.lr0": (134, 131),
    "mult.lr1": (130, 127), "mult.lr2": (126, 123), "mult.lr3": (122, 119),
    "mult.cr": (118, 115), "mult.aaq": (114, 113),
    "acc": (112, 109), "acc.aaq": (108, 107), "acc.row": (106, 105),
    "acc.horizontal": (104, 102), "acc.vertical": (101, 100), "acc.lr": (99, 96),
    "aaq": (95, 94), "aaq.mode": (93, 93), "aaq.post": (92, 91), "aaq.cr": (90, 87),
    "aaq.aaq": (86, 85),
    "lr0": (84, 83), "lr0.lr": (82, 79), "lr0.a": (78, 74), "lr0.b": (73, 69),
    "lr0.immediate": (68, 53),
    "lr1": (52, 51), "lr1.lr": (50, 47), "lr1.a": (46, 42), "lr1.b": (41, 37),
    "lr1.immediate": (36, 21),
    "cond": (20, 18), "cond.lr0": (17, 14), "cond.lr1": (13, 10), "cond.label": (9, 0),
}  # fmt: skip

ONE: Final = {INT8: 0x01, FP8_E4M3: 0x38, FP8_E5M2: 0x3C}
CANONICAL_NAN: Final = 0x7FC0_0000
QUIET_BIT: Final = 0x0040_0000


class ScalarFault(Exception):
    """The machine refuses a bundle, its state being the one from before; its text is the cause."""


class Nan(NamedTuple):
    """A result that is no number, with the 32 bits it leaves in a word."""

    bits: int


Number: TypeAlias = "float | Nan"


class ScalarMachine:
    """State and execution of one IPU; everything starts at zero and may be set from outside."""

    def __init__(self, aaq_shift: int = 0) -> None:
        self.aaq_shift = aaq_shift
        self.pc = 0
        self.cycles = 0
        self.lr = [0] * 16
        self.cr = [0] * 16
        self.aaq = [0] * 4
        self.r = [bytearray(LANES), bytearray(LANES)]
        self.mem_bypass = bytearray(LANES)
        self.r_cyclic = bytearray(CYCLIC_SIZE)
        self.r_mask = bytearray(LANES)
        self.r_acc = [0] * LANES
        self.mult_res = [0] * LANES
        self.aaq_result = bytearray(LANES)
        self.xmem = bytearray(XMEM_SIZE)
        self._overwritten: tuple[int, bytes] | None = None

    @property
    def dtype(self) -> int:
        """The element type that `cr15` selects; values above 2 select none."""
        return self.cr[15]

    @property
    def is_halted(self) -> bool:
        """Whether the program counter has left the program memory."""
        return self.pc >= PROGRAM_SIZE

    def run(self, words: Sequence[int | None], max_cycles: int) -> int:
        """Execute the program until it halts or has taken `max_cycles`; the cycles taken.

        `words[i]` is the bundle at address i; addresses past the end hold nothing.
        """
        start = self.cycles
        while not self.is_halted and self.cycles - start < max_cycles:
            self.step(words[self.pc] if self.pc < len(words) else None)
        return self.cycles - start

    def step(self, word: int | None) -> None:
        """Execute one bundle as if it stood at `pc`; breaks are ignored.

        Raises ScalarFault, with the state untouched, where the bundle cannot be executed.
        """
        if word is None:
            self.pc += 1
        else:
            self._execute_or_restore(word)
        self.cycles += 1

    def _execute_or_restore(self, word: int) -> None:
        before = [register[:] for register in self._registers()]
        self._overwritten = None
        try:
            self._execute(word)
        except ScalarFault:
            self._restore(before)
            raise

    def _registers(self) -> list[list[int] | bytearray]:
        """All that a bundle may change in place; `pc` changes last, `xmem` is undone by hand."""
        elements = [*self.r, self.mem_bypass, self.r_cyclic, self.r_mask, self.aaq_result]
        return [self.lr, self.aaq, self.r_acc, self.mult_res, *elements]

    def _restore(self, before: list[list[int] | bytearray]) -> None:
        for register, content in zip(self._registers(), before, strict=True):
            register[:] = content
        if self._overwritten is not None:
            address, old = self._overwritten
            self.xmem[address : address + len(old)] = old

    def _execute(self, word: int) -> None:
        if field(word, "break") == 3:
            invalid_opcode("break")
        old_lr = self.lr[:]
        self._execute_lr(word, old_lr)
        self._execute_xmem(word)
        self._execute_mult(word)
        self._execute_acc(word)
        self._execute_aaq(word)
        self.pc = self._next_pc(word, old_lr)

    # lr: both instructions work on the registers from before the bundle.

    def _execute_lr(self, word: int, old_lr: list[int]) -> None:
        first = self._lr_result(word, "lr0", old_lr)
        second = self._lr_result(word, "lr1", old_lr)
        if first and second and first[0] == second[0]:
            raise ScalarFault(f"both lr instructions write lr{first[0]}")
        for register, value in filter(None, (first, second)):
            self.lr[register] = value & 0xFFFF_FFFF

    def _lr_result(self, word: int, slot: str, old_lr: list[int]) -> tuple[int, int] | None:
        """The register written and its new value, not yet reduced to 32 bits."""
        opcode = field(word, slot)
        register = field(word, slot + ".lr")
        value = signed(field(word, slot + ".immediate"), 16)
        sources = old_lr + self.cr
        a, b = sources[field(word, slot + ".a")], sources[field(word, slot + ".b")]
        if opcode == 0:
            return (register, old_lr[register] + value) if value else None
        return register, (value, a + b, a - b)[opcode - 1]

    # xmem

    def _execute_xmem(self, word: int) -> None:
        opcode = field(word, "xmem")
        if opcode > 5:
            invalid_opcode("xmem")
        if opcode == 4:
            return
        address = self.lr[field(word, "xmem.lr0")] + self.cr[field(word, "xmem.cr")]
        size = 512 if opcode == 0 else LANES
        if address + size > XMEM_SIZE:
            raise ScalarFault(f"xmem access of {size} bytes at {address:#x}")
        if opcode == 0:
            self._store(address, struct.pack("<128I", *self.r_acc))
        elif opcode == 5:
            self._store(address, bytes(self.aaq_result))
        else:
            self._load(word, opcode, bytes(self.xmem[address : address + LANES]))

    def _load(self, word: int, opcode: int, content: bytes) -> None:
        if opcode == 1:
            self._mult_stage_register(field(word, "xmem.register"))[:] = content
        elif opcode == 3:
            self.r_mask[:] = content
        else:
            index = self.lr[field(word, "xmem.lr1")]
            if index % LANES:
                raise ScalarFault(f"cyclic index {index} is no multiple of {LANES}")
            start = index % CYCLIC_SIZE
            self.r_cyclic[start : start + LANES] = content

    def _store(self, address: int, content: bytes) -> None:
        end = address + len(content)
        self._overwritten = address, bytes(self.xmem[address:end])
        self.xmem[address:end] = content

    def _mult_stage_register(self, number: int) -> bytearray:
        if number == 3:
            raise ScalarFault("there is no mult-stage register 3")
        return (self.r[0], self.r[1], self.mem_bypass)[number]

    # mult

    def _execute_mult(self, word: int) -> None:
        opcode = field(word, "mult")
        if opcode > 5:
            invalid_opcode("mult")
        if opcode == 3:
            return
        if self.dtype not in ONE:
            raise ScalarFault(f"cr15 holds {self.dtype}, which is no element type")
        pairs = self._factors(word, opcode)
        mask = self._mask(self.lr[field(word, "mult.lr1")], self.lr[field(word, "mult.lr2")])
        for lane, (a, b) in enumerate(pairs):
            self.mult_res[lane] = 0 if mask >> lane & 1 else product(a, b, self.dtype)

    def _factors(self, word: int, opcode: int) -> list[tuple[int, int]]:
        """The 128 pairs of bytes that the mult instruction multiplies."""
        index = self.lr[field(word, "mult.lr0")]
        if opcode in (4, 5):
            cr, aaq = self.cr[field(word, "mult.cr")], self.aaq[field(word, "mult.aaq")]
            scalar = (cr if opcode == 4 else aaq) & 0xFF
            return [(scalar, self._cyclic_or_one(index + i)) for i in range(LANES)]
        ra = self._mult_stage_register(field(word, "mult.register"))
        rc = [self.r_cyclic[(index + i) % CYCLIC_SIZE] for i in range(LANES)]
        if opcode == 0:
            return list(zip(ra, rc, strict=True))
        if opcode == 1:
            return [(a, rc[0]) for a in ra]
        fixed = ra[self.lr[field(word, "mult.lr3")] % LANES]
        return [(fixed, b) for b in rc]

    def _cyclic_or_one(self, index: int) -> int:
        return self.r_cyclic[index] if index < CYCLIC_SIZE else ONE[self.dtype]

    def _mask(self, offset: int, shift: int) -> int:
        """The chosen mask as 128 bits after its shift; a set bit suppresses its element."""
        start = offset % 8 * MASK_BYTES
        mask = int.from_bytes(self.r_mask[start : start + MASK_BYTES], "little")
        distance = min(abs(signed(shift, 32)), LANES)
        shifted = mask << distance if signed(shift, 32) > 0 else mask >> distance
        return shifted & (1 << LANES) - 1

    # acc: nothing before this slot writes r_acc, so the live value is the one from before.

    def _execute_acc(self, word: int) -> None:
        opcode = field(word, "acc")
        if opcode > 8:
            invalid_opcode("acc")
        if opcode == 8:
            self._execute_stride(word)
        elif opcode != 3:
            aaq = self.aaq[field(word, "acc.aaq")]
            self.r_acc[:] = [self._accumulated(opcode, lane, aaq) for lane in range(LANES)]

    def _accumulated(self, opcode: int, lane: int, aaq: int) -> int:
        """The word that one lane of r_acc gets from opcodes 0-2 and 4-7."""
        if opcode == 1:
            return self.mult_res[lane]
        if opcode == 2:
            return 0
        is_first = opcode in (5, 7)
        words = [] if is_first else [self.r_acc[lane]]
        words.append(self.mult_res[lane])
        if opcode != 0:
            words.append(aaq)
        return self._maximum_word(words) if opcode > 5 else self._sum_word(words)

    def _sum_word(self, words: list[int]) -> int:
        if self.dtype == INT8:
            return sum(words) & 0xFFFF_FFFF
        return to_word(float_sum(to_number(words[0]), words[1:]))

    def _maximum_word(self, words: Iterable[int]) -> int:
        if self.dtype == INT8:
            return max(signed(word, 32) for word in words) & 0xFFFF_FFFF
        return to_word(float_maximum(words))

    def _execute_stride(self, word: int) -> None:
        width = 8 << field(word, "acc.row")
        rows = [self.mult_res[i : i + width] for i in range(0, LANES, width)]
        rows = every_other_row(rows, field(word, "acc.vertical"))
        horizontal = field(word, "acc.horizontal")
        result = [word for row in rows for word in stride_row(row, horizontal)]
        start = self.lr[field(word, "acc.lr")] % 4 * 32
        if start + len(result) > LANES:
            raise ScalarFault(f"stride of {len(result)} elements from {start} on")
        self.r_acc[start : start + len(result)] = result

    # aaq

    def _execute_aaq(self, word: int) -> None:
        opcode = field(word, "aaq")
        if opcode == 3:
            invalid_opcode("aaq")
        if opcode == 2:
            self._quantize()
        elif opcode == 1:
            cr, destination = self.cr[field(word, "aaq.cr")], field(word, "aaq.aaq")
            is_maximum, post = field(word, "aaq.mode") == 1, field(word, "aaq.post")
            aggregate = self._aggregate_int if self.dtype == INT8 else self._aggregate_float
            self.aaq[destination] = aggregate(is_maximum, self.aaq[destination], post, cr)

    def _aggregate_int(self, is_maximum: bool, old: int, post: int, cr: int) -> int:
        words = [signed(word, 32) for word in self.r_acc]
        value = max(*words, signed(old, 32)) if is_maximum else sum(words)
        if post > 1:
            return to_word(inverse(value, post))
        value *= signed(cr, 32) if post == 1 else 1
        if not -(1 << 31) <= value < 1 << 31:
            raise ScalarFault(f"the aggregate {value} does not fit into 32 bits")
        return value & 0xFFFF_FFFF

    def _aggregate_float(self, is_maximum: bool, old: int, post: int, cr: int) -> int:
        words = self.r_acc
        value = float_maximum([*words, old]) if is_maximum else float_sum(0.0, words)
        if post > 1:
            return to_word(inverse(value, post))
        return to_word(float_product(value, to_number(cr)) if post == 1 else value)

    def _quantize(self) -> None:
        if self.dtype != INT8:
            raise ScalarFault("aaq needs INT8 mode")
        for lane, word in enumerate(self.r_acc):
            value = signed(word, 32) >> self.aaq_shift
            self.aaq_result[lane] = max(-128, min(127, value)) & 0xFF

    # cond: compares the loop registers from before the bundle.

    def _next_pc(self, word: int, old_lr: list[int]) -> int:
        opcode = field(word, "cond")
        a, b = old_lr[field(word, "cond.lr0")], old_lr[field(word, "cond.lr1")]
        if opcode == 6:
            return a
        if opcode == 7:
            return PROGRAM_SIZE
        is_less = signed(a, 32) < signed(b, 32)
        taken = (a == b, a != b, is_less, a != b, a == b, True)[opcode]
        return field(word, "cond.label") if taken else self.pc + 1


def field(word: int, name: str) -> int:
    """One field of a bundle, as the unsigned number it holds."""
    high, low = FIELDS[name]
    return word >> low & (1 << (high - low + 1)) - 1


def signed(value: int, bits: int) -> int:
    """The two's complement reading of an unsigned value of `bits` bits."""
    return value - (1 << bits) if value >> (bits - 1) else value


def invalid_opcode(slot: str) -> NoReturn:
    """Refuse an opcode that only a damaged image holds."""
    raise ScalarFault(f"opcode past the list of slot {slot}")


def every_other_row(rows: list[list[int]], mode: int) -> list[list[int]]:
    """Vertical stride: all, the even, or the odd rows."""
    if mode == 3:
        raise ScalarFault("reserved vertical stride")
    return (rows, rows[0::2], rows[1::2])[mode]


def stride_row(row: list[int], mode: int) -> list[int]:
    """Horizontal stride of one row: all, the even, or the odd columns; 3 and 4 pad with zeros."""
    if mode > 4:
        raise ScalarFault("reserved horizontal stride")
    if mode == 0:
        return row
    kept = row[0::2] if mode in (1, 3) else row[1::2]
    return kept + [0] * len(kept) if mode > 2 else kept


# Numbers. Python's float is a double; NaNs never enter one, because their bits matter.


def product(a: int, b: int, dtype: int) -> int:
    """The word that two elements (bytes) multiply to: int32, or float32 in the FP8 modes."""
    if dtype == INT8:
        return signed(a, 8) * signed(b, 8) & 0xFFFF_FFFF
    numbers = element_values(dtype)
    return to_word(float_product(numbers[a], numbers[b]))


@cache
def element_values(dtype: int) -> list[Number]:
    """The values of all 256 elements of an FP8 type."""
    decode = decode_e4m3 if dtype == FP8_E4M3 else decode_e5m2
    return [decode(byte) for byte in range(256)]


def decode_e4m3(byte: int) -> Number:
    """1 sign, 4 exponent bits with bias 7, 3 fraction bits; no infinity, one NaN of each sign."""
    exponent, fraction = byte >> 3 & 0xF, byte & 7
    if exponent == 0xF and fraction == 7:
        return Nan(byte >> 7 << 31 | CANONICAL_NAN)
    return fp8_value(byte >> 7, exponent, fraction / 8, bias=7)


def decode_e5m2(byte: int) -> Number:
    """1 sign, 5 exponent bits with bias 15, 2 fraction bits; infinities and NaNs as in IEEE 754."""
    exponent, fraction = byte >> 2 & 0x1F, byte & 3
    if exponent == 0x1F and fraction:
        return Nan(byte >> 7 << 31 | CANONICAL_NAN)
    if exponent == 0x1F:
        return -math.inf if byte >> 7 else math.inf
    return fp8_value(byte >> 7, exponent, fraction / 4, bias=15)


def fp8_value(sign: int, exponent: int, fraction: float, bias: int) -> float:
    """A finite 8-bit float; an exponent field of 0 means no hidden one (zero and subnormals)."""
    significand = fraction if exponent == 0 else 1.0 + fraction
    return (-1.0 if sign else 1.0) * math.ldexp(significand, max(exponent, 1) - bias)


def to_number(word: int) -> Number:
    """The float32 that a word holds; a NaN keeps its payload and becomes quiet."""
    if word & 0x7FFF_FFFF > 0x7F80_0000:
        return Nan(word | QUIET_BIT)
    value: float = struct.unpack("<f", struct.pack("<I", word))[0]
    return value


def to_word(value: Number) -> int:
    """Round to float32, to nearest with ties to even, and to infinity past the largest.

    struct rounds the same way and raises exactly where the rounded magnitude would be 2**128,
    that is from 2**128 - 2**103 on.
    """
    if isinstance(value, Nan):
        return value.bits
    try:
        packed = struct.pack("<f", value)
    except OverflowError:
        packed = struct.pack("<f", math.copysign(math.inf, value))
    return int.from_bytes(packed, "little")


def float_sum(start: Number, words: Iterable[int]) -> Number:
    """`start` plus the words one after the other, in double precision; the first NaN stays."""
    total = start
    for word in words:
        if isinstance(total, Nan):
            return total
        addend = to_number(word)
        total = addend if isinstance(addend, Nan) else made(total + addend)
    return total


def float_product(a: Number, b: Number) -> Number:
    """a x b in double precision; of two NaNs the first stays."""
    if isinstance(a, Nan):
        return a
    return b if isinstance(b, Nan) else made(a * b)


def made(value: float) -> Number:
    """Give a NaN that an operation has made its bits."""
    return Nan(CANONICAL_NAN) if math.isnan(value) else value


def float_maximum(words: Iterable[int]) -> Number:
    """The first word that no later one exceeds: a NaN or a zero of either sign stays if first."""
    numbers = iter([to_number(word) for word in words])
    best = next(numbers)
    for number in numbers:
        if not isinstance(best, Nan) and not isinstance(number, Nan) and number > best:
            best = number
    return best


def inverse(value: Number, post: int) -> Number:
    """The post functions `inv` (2) and `inv_sqrt` (3) in double precision."""
    if post == 2:
        if isinstance(value, Nan):
            return value
        return 1.0 / value if value else 0.0
    if isinstance(value, Nan) or not value > 0:
        return 0.0
    return 1.0 / math.sqrt(value)
