"""Random words of programs, and random states to run them on.

Values are drawn so that things happen: addresses near each other and near the ends of memory,
numbers that are special as elements, words or shifts, every mnemonic as likely as its neighbours.
"""

from __future__ import annotations

from random import Random
from typing import Callable, Final

from ipu_asm.emulator import IpuState
from ipu_asm.isa import load_isa
from ipu_asm.isa.model import InstructionSpec, Isa, Slot
from tests.emulator.machines import VECTORS

ISA: Final = load_isa("ipu")
LAST_ROW: Final = (1 << 21) - 128
USUAL_SCALARS: Final = (
    0, 1, 2, 3, 7, 31, 64, 127, 128, 129, 256, 384, 385, 500, 511, 512, 513, 1000, 4096 - 128,
    0xFFFF_FF80, 0xFFFF_FFFF, 0xFFFF_FFFE,
)  # fmt: skip
UNUSUAL_SCALARS: Final = (
    1023, 1024, LAST_ROW - 384, LAST_ROW, LAST_ROW + 1, 1 << 21, 0x7FFF_FFFF, 0x8000_0000,
    0xFFFF_0000, 0x3F80_0000, 0xBF80_0000, 0x7FC0_0001, 0x7F80_0000, 0x7F80_0001, 0xFF80_0000,
)  # fmt: skip
SPECIAL_WORDS: Final = (
    0, 0x8000_0000, 1, 0x8000_0001, 0x3F80_0000, 0xBF80_0000, 0x7F7F_FFFF, 0xFF7F_FFFF,
    0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 0xFFC0_0000, 0x7FC0_1234, 0xFFC0_5678, 0x7F80_0001,
    0xFF81_2345, 0x7FFF_FFFF, 0xFFFF_FFFF, 0x0080_0000, 0x3380_0000, 0x4B80_0000,
)  # fmt: skip
FLAVOURS: Final = ("zeros", "elements", "words", "anything")
"""What the bytes of a register can be like, see `content`."""


def random_word(rng: Random) -> int:
    """Mostly a bundle of known instructions with any operands, now and then any word at all."""
    return word_of(ISA, rng, any_word=0.05, idle=lambda _: 0.3, listed=0.9)


def word_of(
    isa: Isa, rng: Random, *, any_word: float, idle: Callable[[Slot], float], listed: float
) -> int:
    """A word of a set, of which the shares are given that are not encoded from instructions, that
    have the no-op of a slot, and whose operands are of the values that completion lists.
    """
    if rng.random() < any_word:
        return rng.getrandbits(isa.word_bits)
    word = 0
    for slot in isa.slots:
        for low in slot.lows:
            specs = isa.instructions_of(slot.name)
            nops = [spec for spec in specs if spec.nop]
            spec = rng.choice(nops if nops and rng.random() < idle(slot) else specs)
            word |= (spec.opcode_bits | _random_operands(rng, spec, listed)) << low
    return word


def random_state(rng: Random) -> IpuState:
    """A state for a program; mostly with an element type, else with anything in cr15."""
    state = IpuState()
    registers = state.regfile
    for index in range(16):
        registers.set_lr(index, random_scalar(rng))
        registers.set_cr(index, random_scalar(rng))
    for index in range(4):
        registers.set_aaq(index, rng.choice(SPECIAL_WORDS))
    state.set_cr_dtype(rng.choice((0, 1, 2)) if rng.random() < 0.9 else random_scalar(rng))
    for name, element in VECTORS.values():
        size = len(registers.get_register_bytes(name, element))
        registers.set_register_bytes(name, element, content(rng, rng.choice(FLAVOURS), size))
    for address in (0, 4096 - 512, LAST_ROW - 512):
        state.xmem.write_address(address, content(rng, rng.choice(FLAVOURS), 640))
    return state


def random_scalar(rng: Random) -> int:
    """What a loop or config register may hold."""
    kind = rng.random()
    if kind < 0.8:
        return rng.choice(USUAL_SCALARS)
    return rng.choice(UNUSUAL_SCALARS) if kind < 0.95 else rng.getrandbits(32)


def content(rng: Random, flavour: str, size: int) -> bytes:
    """`size` bytes, a multiple of four: zeros, small elements, special words or anything."""
    if flavour == "zeros":
        return bytes(size)
    if flavour == "elements":
        return bytes(rng.choices((0, 1, 0x38, 0x3C, 0xB8, 0x40, 0x10, 0x7C, 0xFF), k=size))
    if flavour == "words":
        chosen = rng.choices(SPECIAL_WORDS, k=size // 4)
        return b"".join(word.to_bytes(4, "little") for word in chosen)
    return rng.randbytes(size)


def _random_operands(rng: Random, spec: InstructionSpec, listed: float) -> int:
    bits = 0
    for operand in spec.operands:
        value = rng.getrandbits(operand.type.width)
        choices = len(operand.type.complete())
        if choices and rng.random() < listed:
            value = rng.randrange(choices)
        bits |= value << operand.low
    return bits
