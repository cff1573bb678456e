"""Random states of the IPU 2 and random words of programs for them.

Values are drawn so that things happen: rows near each other and near the end of memory, data
structures that are mostly valid, numbers that are special as elements or words, every mnemonic as
likely as its neighbours.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ipu_asm.isa import load_isa
from ipu_asm.isa.model import Slot
from ipu_asm.targets.ipu2.machine.state import Ipu2State
from tests.emulator.random_programs import content, word_of
from tests.ipu2_runs import ELEMENT_TYPES, VECTORS

ISA: Final = load_isa("ipu2")
FLAVOURS: Final = ("zeros", "elements", "words", "anything", "numbers")
LAST_ROW: Final = 16_383

USUAL_SCALARS: Final = (
    0, 0, 0, 1, 2, 3, 4, 7, 31, 100, 127, 128, 128, 256, 384, 500, 511, 512, 0x0706_0504,
    0x0302_0100, 0x7F40_2010,
)  # fmt: skip
UNUSUAL_SCALARS: Final = (
    0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFD, 0xFFFF_FF80, 0xFF80_7F00,
    1023, 1024, LAST_ROW - 1, LAST_ROW, LAST_ROW + 1, 0x7FFF_FFFF, 0x8000_0000,
)  # fmt: skip
PARTITIONS: Final = (0, 0, 2, 4, 8, 16)


def random_state(rng: Random) -> Ipu2State:
    """A state in any mode, with anything in registers and memory."""
    wide = rng.choice((None, None, "fp32", "int32"))
    alpha = rng.choice((1.0, 1.0, 0.25, -2.0))
    dtype = rng.choice(ELEMENT_TYPES) if rng.random() < 0.5 else "INT8"
    state = Ipu2State(dtype, wide, rng.random() < 0.3, alpha)
    registers = state.regfile
    for index in range(16):
        registers.set_lr(index, random_scalar(rng))
        registers.set_cr(index, random_config(rng))
    for name, element in VECTORS.values():
        size = len(registers.get_register_bytes(name, element))
        registers.set_register_bytes(name, element, random_content(rng, size))
    row_size = 512 if wide else 128
    for row in (0, 125, LAST_ROW - 2):
        state.xmem.write_address(row * row_size, random_content(rng, 3 * row_size))
    return state


def random_scalar(rng: Random) -> int:
    """What a loop register may hold."""
    kind = rng.random()
    if kind < 0.9:
        return rng.choice(USUAL_SCALARS)
    return rng.choice(UNUSUAL_SCALARS) if kind < 0.99 else rng.getrandbits(32)


def random_config(rng: Random) -> int:
    """What a config register may hold: mostly a valid data structure."""
    if rng.random() < 0.3:
        return random_scalar(rng)
    pad_mode = rng.choice((1, 2)) if rng.random() < 0.1 else 0
    return pad_mode << 13 | rng.choice(PARTITIONS) << 8 | rng.choice((0, 1, 5, 127, 128, 200, 255))


def random_content(rng: Random, size: int) -> bytes:
    """Bytes of one flavour; `numbers` are words that are small as int32 or as float32."""
    flavour = rng.choice(FLAVOURS)
    if flavour != "numbers":
        return content(rng, flavour, size)
    words = rng.choices((*range(-4, 5), 0x3F80_0000, 0xC020_0000, 0x4120_0000, 300), k=size // 4)
    return b"".join((word & 0xFFFF_FFFF).to_bytes(4, "little") for word in words)


def random_word(rng: Random) -> int:
    """Mostly a bundle of known instructions with any operands, now and then any word at all."""
    return word_of(ISA, rng, any_word=0.03, idle=_share_of_no_ops, listed=0.98)


def _share_of_no_ops(slot: Slot) -> float:
    return 0.7 if slot.exclusive_writes else 0.3
