"""The recorded runs of the IPU 2, and how a state differs from a recorded one."""

from __future__ import annotations

import math
import struct
from typing import Final, NamedTuple, TypeAlias

from tests.vectors import Record

Ranges: TypeAlias = list[list[int]]

ELEMENT_TYPES: Final = ("INT8", "E1", "E2", "E3", "E4", "E5", "E6", "E7")
"""The element types; the position of a float type is the number of its exponent bits."""

VECTORS: Final = {
    "r0": ("r", 0), "r1": ("r", 1), "r0_wide": ("r_wide", 0), "r1_wide": ("r_wide", 1),
    **{name: (name, 0) for name in (
        "r_cyclic", "r_mask", "r_acc", "mult_res", "post_aaq_reg", "mem_bypass", "r_cyclic_wide",
    )},
}  # fmt: skip
"""Name and element of every vector register, by the name that the recorded runs give it."""

AT_RESET: Final = {
    "r0": bytes(128), "r1": bytes(128), "mem_bypass": bytes(128), "r_cyclic": bytes(512),
    "r_mask": b"\xff" * 128, "r_acc": bytes(512), "mult_res": bytes(512),
    "post_aaq_reg": bytes(512), "r0_wide": bytes(512), "r1_wide": bytes(512),
    "r_cyclic_wide": bytes(2048),
}  # fmt: skip
"""The vector registers, by the name that the recorded runs give them, after reset."""

_MEMORY: Final = bytearray(1 << 23)
"""Zeros between two uses: a memory of its own for each comparison takes longer than the runs."""


class Contents(NamedTuple):
    """All that a record may say about a state. `vectors` are the bytes of vector registers.

    The memory is shared with the machine: 8 MiB take long to copy.
    """

    pc: int
    cycles: int
    lr: list[int]
    cr: list[int]
    vectors: dict[str, bytes]
    xmem: bytearray


def differences(found: Contents, record: Record, expected: Record) -> list[str]:
    """What of a state differs from an expected one of a record."""
    wrong = [name for name in ("pc", "lr", "cr") if getattr(found, name) != expected[name]]
    if found.cycles != expected.get("cycles", found.cycles):
        wrong.append("cycles")
    named = {**record["init"], **expected["regs"]}
    for name, at_reset in AT_RESET.items():
        wanted = bytes.fromhex(named[name]) if name in named else at_reset
        if not _equal(name, found.vectors[name], wanted, expected["nan_dontcare"].get(name, [])):
            wrong.append(name)
    if not _memory_is_equal(found.xmem, record, expected):
        wrong.append("xmem")
    return wrong


def _memory_is_equal(found: bytearray, record: Record, expected: Record) -> bool:
    """Whether the memory has the pieces of a record, and zeros elsewhere."""
    pieces = [
        (piece["addr"], bytes.fromhex(piece["hex"]))
        for piece in (*record["init"].get("xmem", []), *expected["xmem_rows"])
    ]
    for address, content in pieces:
        _MEMORY[address : address + len(content)] = content
    try:
        return _equal("xmem", found, _MEMORY, expected["nan_dontcare"].get("xmem", []))
    finally:
        for address, content in pieces:
            _MEMORY[address : address + len(content)] = bytes(len(content))


def _equal(name: str, found: bytes | bytearray, wanted: bytes | bytearray, ignored: Ranges) -> bool:
    """Whether two contents are equal, and words whose bits are not compared hold some NaN."""
    if not ignored:
        return found == wanted
    compared = bytearray(found)
    for start, length in ignored:
        piece = found[start : start + length]
        has_words = name in ("r_acc", "mult_res", "post_aaq_reg", "xmem") and length % 4 == 0
        if has_words and not all(math.isnan(x) for [x] in struct.iter_unpack("<f", piece)):
            return False
        compared[start : start + length] = wanted[start : start + length]
    return compared == wanted
