"""A second model of the IPU 2 in plain scalar Python: the oracle of the machine's property tests.

It shares nothing with the emulator: no numpy, no instruction table, no assembler. Bundles are cut
up by the literal bit table of the machine description, and one element is computed after the other.
It is slow and meant to be read side by side with the description.

A *word* is an unsigned 32-bit pattern; it means a float32 in the modes that say so, else an int32.
A *bundle* is a 186-bit integer, or None where nothing was loaded. NaNs have the bits that the
emulator promises: a NaN that is created is 0x7FC00000, of NaN operands the first is passed on,
quiet.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Final

from tests.scalar_ipu2_numbers import LANES, activated, element, rounded, shifted_mask
from tests.scalar_machine import (
    CANONICAL_NAN,
    QUIET_BIT,
    Nan,
    Number,
    ScalarFault,
    every_other_row,
    float_product,
    float_sum,
    invalid_opcode,
    signed,
    to_number,
    to_word,
)

PROGRAM_SIZE: Final = 1024
XMEM_SIZE: Final = 1 << 23
ROWS: Final = 16_384
WORD: Final = 0xFFFF_FFFF

# Highest and lowest bit of every field. Those of lr are of sub-slot 0; the next ones are 20 lower.
FIELDS: Final[dict[str, tuple[int, int]]] = {
    "cond": (185, 183), "cond.label": (182, 173), "cond.a": (172, 168), "cond.b": (167, 163),
    "lr": (162, 159), "lr.b": (158, 151), "lr.dest": (150, 147), "lr.a": (146, 143),
    "load": (102, 101), "load.base": (100, 97), "load.offset": (96, 93), "load.index": (92, 89),
    "mult": (88, 86), "mult.source": (85, 81), "mult.structure": (80, 77), "mult.index": (76, 73),
    "mult.shift": (72, 69), "mult.mask": (68, 66),
    "acc": (65, 62), "acc.a": (61, 58), "acc.horizontal": (57, 55), "acc.b": (54, 51),
    "acc.vertical": (50, 49),
    "aaq": (48, 48), "aaq.function": (47, 44), "aaq.structure": (43, 40),
    "store": (39, 39), "store.base": (38, 35), "store.offset": (34, 31),
    "acc_store": (30, 30), "acc_store.base": (29, 26), "acc_store.offset": (25, 22),
    "break": (21, 20), "break.immediate": (19, 4), "break.lr": (3, 0),
}  # fmt: skip


class ScalarIpu2:
    """State and execution of one machine after reset; everything may be set from outside.

    `exponent_bits` is 0 for INT8 elements, 1 to 7 for E1 to E7; `wide` is None, "fp32" or "int32".
    """

    def __init__(
        self, exponent_bits: int, wide: str | None, quantize: bool, elu_alpha: float
    ) -> None:
        self.exponent_bits = exponent_bits
        self.wide = wide
        self.quantize = quantize
        self.elu_alpha = elu_alpha
        self.pc = 0
        self.cycles = 0
        self.lr = [0] * 16
        self.cr = [0, 1] + [0] * 13 + [128]
        self.registers = {
            "r0": bytearray(128), "r1": bytearray(128), "mem_bypass": bytearray(128),
            "r_cyclic": bytearray(512), "r_mask": bytearray(b"\xff" * 128),
            "r_acc": bytearray(512), "mult_res": bytearray(512), "post_aaq_reg": bytearray(512),
            "r0_wide": bytearray(512), "r1_wide": bytearray(512), "r_cyclic_wide": bytearray(2048),
        }  # fmt: skip
        self.xmem = bytearray(XMEM_SIZE)
        self.has_float_words = exponent_bits > 0 if wide is None else wide == "fp32"
        self._old_lr: list[int] = []
        self._old: dict[str, bytes] = {}
        self._overwritten: list[tuple[int, bytes]] = []

    def run(self, words: Sequence[int | None], max_cycles: int) -> None:
        """Execute the program until it halts or has taken `max_cycles`."""
        while self.pc < PROGRAM_SIZE and self.cycles < max_cycles:
            self.step(words[self.pc] if self.pc < len(words) else None)

    def step(self, word: int | None) -> None:
        """Execute one bundle as if it stood at `pc`; breaks are ignored.

        Raises ScalarFault, with the state untouched, where the bundle cannot be executed.
        """
        if word is None:
            self.pc += 1
        else:
            self._old_lr = self.lr[:]
            self._old = {name: bytes(content) for name, content in self.registers.items()}
            self._overwritten = []
            try:
                self._execute(word)
            except ScalarFault:
                self._restore()
                raise
        self.cycles += 1

    def _restore(self) -> None:
        self.lr[:] = self._old_lr
        for name, content in self._old.items():
            self.registers[name][:] = content
        for address, old in reversed(self._overwritten):
            self.xmem[address : address + len(old)] = old

    def _execute(self, word: int) -> None:
        if field(word, "break") == 3:
            invalid_opcode("break")
        self._execute_lr(word)
        self._execute_load(word)
        self._execute_mult(word)
        self._execute_acc(word)
        self._execute_aaq(word)
        for slot, register in (("store", "post_aaq_reg"), ("acc_store", "r_acc")):
            if field(word, slot) == 0:
                self._store(self._row(word, slot), bytes(self.registers[register]))
        self.pc = self._next_pc(word)

    # lr: all three work on the registers from before the bundle.

    def _execute_lr(self, word: int) -> None:
        written: set[int] = set()
        for number in range(3):
            for register, value in self._lr_results(word << 20 * number):
                if register in written:
                    raise ScalarFault(f"two lr instructions write lr{register}")
                written.add(register)
                self.lr[register] = value & WORD

    def _lr_results(self, word: int) -> list[tuple[int, int]]:
        """The registers that an instruction writes, with values not yet reduced to 32 bits."""
        opcode, b, dest = field(word, "lr"), field(word, "lr.b"), field(word, "lr.dest")
        a = field(word, "lr.a")
        if opcode > 8:
            invalid_opcode("lr")
        if opcode == 8:
            return []
        old = self._old_lr
        if opcode in (0, 1, 2, 3, 6) and b > (15 if opcode == 0 else 31):
            raise ScalarFault(f"there is no register {b}")
        if opcode in (6, 7):
            return self._bytes_results(dest, b if opcode == 7 else self._lcr(b, old) & 0xFF)
        if opcode == 3:
            if a > 8:
                raise ScalarFault(f"there is no k {a + 1}")
            return [(dest, (old[dest] + self._lcr(b, old)) % 2 ** (a + 1))]
        if opcode in (4, 5):
            return [(dest, old[dest] + (b if opcode == 4 else -b))]
        if opcode == 0:
            return [(dest, self.cr[b])]
        return [(dest, old[a] + (1 if opcode == 1 else -1) * self._lcr(b, old))]

    def _bytes_results(self, pair: int, addend: int) -> list[tuple[int, int]]:
        if pair > 7:
            raise ScalarFault(f"there is no pair {pair}")
        results = []
        for register in (2 * pair, 2 * pair + 1):
            old = self._old_lr[register].to_bytes(4, "little")
            new = bytes(min(max(byte + signed(addend, 8), 0), 255) for byte in old)
            results.append((register, int.from_bytes(new, "little")))
        return results

    def _lcr(self, number: int, lr: list[int]) -> int:
        return (lr + self.cr)[number]

    # load and store

    def _row(self, word: int, slot: str) -> int:
        row = self.lr[field(word, slot + ".offset")] + self.cr[field(word, slot + ".base")]
        if row >= ROWS:
            raise ScalarFault(f"there is no row {row}")
        return row * (512 if self.wide else 128)

    def _execute_load(self, word: int) -> None:
        opcode = field(word, "load")
        if opcode == 3:
            return
        suffix, size = ("_wide", 512) if self.wide else ("", 128)
        address, index = self._row(word, "load"), field(word, "load.index")
        content = bytes(self.xmem[address : address + size])
        if opcode == 2:
            self.registers["r_mask"][:] = content[:128]
        elif opcode == 0:
            if index > 1:
                raise ScalarFault(f"there is no r{index}")
            self.registers[f"r{index}{suffix}"][:] = content
        else:
            start = self.lr[index]
            if start not in (0, 128, 256, 384):
                raise ScalarFault(f"cyclic index {start}")
            start *= size // 128
            self.registers["r_cyclic" + suffix][start : start + size] = content

    def _store(self, address: int, content: bytes) -> None:
        end = address + len(content)
        self._overwritten.append((address, bytes(self.xmem[address:end])))
        self.xmem[address:end] = content

    # mult: the elements are those from before the bundle, the mask is the live one.

    def _execute_mult(self, word: int) -> None:
        opcode = field(word, "mult")
        if opcode > 5:
            invalid_opcode("mult")
        if opcode == 3:
            return
        _, partition, pad_mode = self._structure(field(word, "mult.structure"))
        if pad_mode and not self.has_float_words:
            raise ScalarFault("int32 words have no infinity")
        words = [self._product(a, b) for a, b in self._factors(word, opcode)]
        start = 16 * field(word, "mult.mask")
        mask = int.from_bytes(self.registers["r_mask"][start : start + 16], "little")
        distance = signed(self.lr[field(word, "mult.shift")], 32)
        bits = shifted_mask(mask, distance, partition)
        pad = (0, 0x7F80_0000, 0xFF80_0000)[pad_mode]
        self._write("mult_res", [x if bit else pad for x, bit in zip(words, bits, strict=True)])

    def _factors(self, word: int, opcode: int) -> list[tuple[Number, Number]]:
        """The 128 pairs of elements that the mult instruction multiplies."""
        index = self.lr[field(word, "mult.index")]
        source = field(word, "mult.source")
        cyclic, stage = self._elements("r_cyclic"), self._elements("r0") + self._elements("r1")
        rc = [cyclic[(index + i) % 512] for i in range(LANES)]
        if opcode == 2:
            return [(x, x) for x in rc]
        if opcode == 0:
            if source > 1:
                raise ScalarFault(f"there is no r{source}")
            return list(zip(rc, stage[LANES * source :][:LANES], strict=True))
        if opcode == 1:
            is_lr = source < 16
            factor = stage[self.lr[source] % 256] if is_lr else self._low_byte(source - 16)
            return [(x, factor) for x in rc]
        if source > 15:
            raise ScalarFault(f"there is no cr{source}")
        step = 1 if opcode == 4 else 0
        return [(stage[(index + step * i) % 256], self._low_byte(source)) for i in range(LANES)]

    def _elements(self, name: str) -> list[Number]:
        """All elements that a register had before the bundle."""
        if self.wide is None:
            return [element(byte, self.exponent_bits) for byte in self._old[name]]
        words = words_of(self._old[name + "_wide"])
        if self.wide == "fp32":
            return [to_number(word) for word in words]
        return [signed(word, 32) for word in words]

    def _low_byte(self, number: int) -> Number:
        byte = self.cr[number] & 0xFF
        return float(signed(byte, 8)) if self.wide == "fp32" else self._narrow_or_int(byte)

    def _narrow_or_int(self, byte: int) -> Number:
        return element(byte, 0 if self.wide else self.exponent_bits)

    def _product(self, a: Number, b: Number) -> int:
        if self.has_float_words:
            return to_word(float_product(a, b))
        assert isinstance(a, int)
        assert isinstance(b, int)
        return a * b & WORD

    def _structure(self, cr: int) -> tuple[int, int, int]:
        """Active elements, partition and pad mode of a data structure word."""
        value = self.cr[cr]
        partition, pad_mode = value >> 8 & 0x1F, value >> 13 & 3
        if partition not in (0, 2, 4, 8, 16) or pad_mode == 3:
            raise ScalarFault(f"data structure {value:#x}")
        return min(value & 0xFF, LANES), partition, pad_mode

    # acc: nothing before this slot writes r_acc, so the live value is the one from before.

    def _execute_acc(self, word: int) -> None:
        opcode = field(word, "acc")
        if opcode > 12:
            invalid_opcode("acc")
        if opcode < 6:
            pairs = zip(self._words("r_acc"), self._words("mult_res"), strict=True)
            self._write("r_acc", [self._accumulated(opcode, a, b) for a, b in pairs])
        elif opcode == 7:
            self._execute_stride(word)
        elif opcode == 12:
            self._execute_reshape(word)
        elif opcode != 6:
            self._aggregate(word, opcode)

    def _accumulated(self, opcode: int, acc: int, product: int) -> int:
        """The word that one lane of r_acc gets from the first six opcodes."""
        if opcode in (1, 3):
            return self._quiet(product)
        if opcode == 2:
            a, b = self._value(acc), self._value(product)
            return product if is_less(a, b) else self._quiet(acc)
        first = 0 if opcode == 5 else acc
        if not self.has_float_words:
            return first + (product if opcode == 0 else -product) & WORD
        if isinstance(self._value(product), Nan) or opcode == 0:
            return to_word(float_sum(to_number(first), [product]))
        return to_word(float_sum(to_number(first), [product ^ 1 << 31]))

    def _execute_stride(self, word: int) -> None:
        row_code, horizontal = field(word, "acc.a"), field(word, "acc.horizontal")
        if row_code > 2 or horizontal > 2:
            raise ScalarFault("reserved code of a stride")
        width, words = 16 << row_code, self._words("mult_res")
        rows = [words[i : i + width] for i in range(0, LANES, width)]
        rows = every_other_row(rows, field(word, "acc.vertical"))
        columns = (slice(None), slice(0, None, 2), slice(1, None, 2))[horizontal]
        result = [self._quiet(kept) for row in rows for kept in row[columns]]
        start = self.lr[field(word, "acc.b")] % 4 * 32
        if start + len(result) > LANES:
            raise ScalarFault(f"stride of {len(result)} words from {start} on")
        acc = self._words("r_acc")
        self._write("r_acc", acc[:start] + result + acc[start + len(result) :])

    def _execute_reshape(self, word: int) -> None:
        code = field(word, "acc.a")
        first = code if code < 8 else self.lr[code - 8]
        if first > 8:
            raise ScalarFault(f"reshape mask {first}")
        dest = field(word, "acc.b")
        if dest > 7:
            raise ScalarFault(f"there is no pair {dest}")
        sources, targets = self._pair(field(word, "acc.horizontal")), self._pair(dest)
        acc, products = self._words("r_acc"), words_of(self._old["mult_res"])
        for source, target in list(zip(sources, targets, strict=True))[first:]:
            if source >= LANES or target >= LANES:
                raise ScalarFault(f"reshape from {source} to {target}")
            acc[target] = products[source]
        self._write("r_acc", acc)

    def _pair(self, number: int) -> bytes:
        return struct.pack("<2I", *self._old_lr[2 * number : 2 * number + 2])

    def _aggregate(self, word: int, opcode: int) -> None:
        active, _, _ = self._structure(field(word, "acc.a"))
        words, acc = self._words("mult_res")[:active], self._words("r_acc")
        place = self._old_lr[field(word, "acc.b")] % LANES
        if opcode in (8, 9):
            old = [] if opcode == 8 else [acc[place]]
            acc[place] = self._sum([*words, *old])
        else:
            least = 0xFF80_0000 if self.has_float_words else 0x8000_0000
            acc[place] = self._maximum(least if opcode == 10 else acc[place], words)
        self._write("r_acc", acc)

    def _sum(self, words: list[int]) -> int:
        return to_word(float_sum(0.0, words)) if self.has_float_words else sum(words) & WORD

    def _maximum(self, best: int, words: Iterable[int]) -> int:
        for word in words:
            if is_less(self._value(best), self._value(word)):
                best = word
        return self._quiet(best)

    # aaq

    def _execute_aaq(self, word: int) -> None:
        if field(word, "aaq") == 0:
            return
        active, _, _ = self._structure(field(word, "aaq.structure"))
        if self.wide is None and self.exponent_bits:
            raise ScalarFault("narrow activations need INT8")
        code = field(word, "aaq.function")
        results = [self._activated(code, acc) for acc in self._words("r_acc")[:active]]
        if self.wide is None or self.quantize:
            content = bytes(self._integer(x, 127) & 0xFF for x in results)
            self.registers["post_aaq_reg"][:] = content + bytes(512 - active)
        else:
            words = [self._result_word(x) for x in results]
            self._write("post_aaq_reg", words + self._words("post_aaq_reg")[active:])

    def _activated(self, code: int, acc: int) -> float:
        """The result of a function; in wide mode rounded to what the mode's words can hold."""
        value = self._value(acc)
        y = activated(code, float("nan") if isinstance(value, Nan) else value, self.elu_alpha)
        if self.wide is None:
            return y
        if self.wide == "int32":
            return self._integer(y, (1 << 31) - 1)
        number = to_number(to_word(y))
        return float("nan") if isinstance(number, Nan) else number

    def _integer(self, x: float, largest: int) -> int:
        value = rounded(x, largest)
        if value is None:
            raise ScalarFault("NaN cannot be quantized")
        return value

    def _result_word(self, x: float) -> int:
        if not self.has_float_words:
            return int(x) & WORD
        return CANONICAL_NAN if x != x else to_word(x)

    # cond: compares the loop registers from before the bundle.

    def _next_pc(self, word: int) -> int:
        opcode = field(word, "cond")
        if opcode == 7:
            invalid_opcode("cond")
        a = self._lcr(field(word, "cond.a"), self._old_lr)
        b = self._lcr(field(word, "cond.b"), self._old_lr)
        if opcode == 4:
            return a
        if opcode == 5:
            return PROGRAM_SIZE
        less = signed(a, 32) < signed(b, 32)
        taken = (a == b, a != b, less, not less, False, False, False)[opcode]
        return field(word, "cond.label") if taken else self.pc + 1

    # words

    def _words(self, name: str) -> list[int]:
        return words_of(self.registers[name])

    def _write(self, name: str, words: Sequence[int]) -> None:
        self.registers[name][:] = struct.pack(f"<{len(words)}I", *words)

    def _value(self, word: int) -> Number:
        return to_number(word) if self.has_float_words else signed(word, 32)

    def _quiet(self, word: int) -> int:
        """A word that an instruction passes on."""
        is_nan = self.has_float_words and isinstance(to_number(word), Nan)
        return word | QUIET_BIT if is_nan else word


def field(word: int, name: str) -> int:
    """One field of a bundle, as the unsigned number it holds."""
    high, low = FIELDS[name]
    return word >> low & (1 << (high - low + 1)) - 1


def words_of(content: bytes | bytearray) -> list[int]:
    """Little-endian 32-bit words."""
    return list(struct.unpack(f"<{len(content) // 4}I", content))


def is_less(a: Number, b: Number) -> bool:
    """Whether a number is less than another; false if one of them is NaN."""
    return not isinstance(a, Nan) and not isinstance(b, Nan) and a < b
