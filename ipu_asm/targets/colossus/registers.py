"""Registers of a tile's contexts, register groups, numbers of control registers, memory maps."""

from __future__ import annotations

from ipu_asm.isa.storage import Memory, MemoryRegion, RegisterFile

WIDTHS = {1: "register", 2: "pair", 4: "quad"}
_TITLES = {"m": "main", "a": "aux"}
_COUNT = 16
MODES = ("supervisor", "worker")


def group(file: str, first: int, width: int) -> str:
    """Return the name of a register, or of a group of registers such as `$m0:1`."""
    return f"${file}{first}" + (f":{first + width - 1}" if width > 1 else "")


def title(file: str, width: int) -> str:
    """Return the noun for a register or a group, for messages."""
    name = f"{_TITLES[file]} register"
    return name if width == 1 else f"{WIDTHS[width]} of {name}s"


_SUMMARIES = {
    "m": "32 bits for addresses, integers and conditions; `$m15` reads as zero",
    "a": "32 bits for floating point, of workers only; `$a14` and `$a15` read as zero",
}


def _file(file: str, width: int) -> RegisterFile:
    names = tuple(group(file, first, width) for first in range(0, _COUNT, width))
    summary = _SUMMARIES[file] if width == 1 else f"{width} registers in a row, as one operand"
    return RegisterFile(title(file, width), title(file, width), names, summary)


REGISTER_FILES = tuple(_file(file, width) for file in "ma" for width in WIDTHS)
UNITS = {
    group(file, first, width): frozenset(group(file, first + n, 1) for n in range(width))
    for file in "ma"
    for width in WIDTHS
    for first in range(0, _COUNT, width)
}
ALIASES = {
    "$bp": "$m8",
    "$fp": "$m9",
    "$lr": "$m10",
    "$sp": "$m11",
    "$mworker_base": "$m12",
    "$mvertex_base": "$m13",
    "$mzero": "$m15",
    "$azero": "$a15",
    "$azeros": "$a14:15",
    **{f"$ap{number}": group("a", min(2 * number, 14), 2) for number in range(16)},
    **{f"$aq{number}": group("a", min(4 * number, 12), 4) for number in range(16)},
}
"""Further names. The assembler has one for as many pairs and quads as there are registers."""
ZEROS = ("$m15", "$a14", "$a15", "$a14:15")

BOTH_CSRS = {"$PC": 0, "$DBG_DATA": 112, "$DBG_BRK_ID": 113}
SUPERVISOR_CSRS = {
    "$SSR": 1,
    "$CR": 2,
    "$TILE_ID": 3,
    "$FP_ICTL": 32,
    **{f"$WORKER{n}_BASE": 33 + n for n in range(6)},
    "$CCCSLOAD": 80,
    "$SCOUNT_L": 96,
    "$SCOUNT_U": 97,
    "$CTXT_STS": 114,
    "$DBG_CTL": 115,
    "$DBG_ECSR": 116,
    "$DBG_ECLR": 117,
    "$INCOMING_MUX": 160,
    "$INCOMING_MUXPAIR": 161,
    "$INCOMING_DELTA": 162,
    "$INCOMING_FORMAT": 163,
    "$INCOMING_BASE": 164,
    "$INCOMING_SINIT": 165,
    "$INCOMING_DCOUNT": 166,
    "$OUTGOING_BASE": 167,
    "$OUTGOING_DELTA": 168,
    "$EXCHANGE_CTL": 169,
    "$ANS_DCOUNT": 170,
    "$EXCHANGE_ADJ": 171,
    "$FP_INFMT": 49,
    "$FP_ISCL": 51,
    **{f"$CWEI_{n // 4}_{n % 4}": n for n in range(64)},
}
WORKER_CSRS = {
    "$WSR": 1,
    "$VERTEX_BASE": 2,
    "$WORKER_BASE": 3,
    "$REPEAT_COUNT": 4,
    "$REPEAT_FIRST": 5,
    "$REPEAT_END": 6,
    "$COUNT_L": 96,
    "$COUNT_U": 97,
}
UPPER_CSRS = {
    "$FP_STS": 0,
    "$FP_CLR": 1,
    "$FP_CTL": 2,
    "$PRNG_0_0": 3,
    "$PRNG_0_1": 4,
    "$PRNG_1_0": 5,
    "$PRNG_1_1": 6,
    "$PRNG_SEED": 7,
    "$TAS": 8,
    "$FP_NFMT": 9,
    "$FP_SCL": 10,
}
"""Control registers of the aux pipeline: accessed by `uget` and `uput`, in worker mode only."""
CSR_NUMBERS = {**BOTH_CSRS, **SUPERVISOR_CSRS, **WORKER_CSRS, **UPPER_CSRS}
CSR_MODES = {
    **dict.fromkeys(SUPERVISOR_CSRS, MODES[0]),
    **dict.fromkeys((*WORKER_CSRS, *UPPER_CSRS), MODES[1]),
}
"""Execution mode of each control register that exists in one mode only."""

# The larger memory first: it is the default where a project does not configure one.
MEMORIES = (
    Memory(
        "gc200",
        "GC200",
        (
            MemoryRegion(0x4C000, 0x7FFFF, has_code=True, interleaved=False),
            MemoryRegion(0x80000, 0xE7FFF, has_code=False, interleaved=True),
        ),
    ),
    Memory(
        "gc2",
        "GC2",
        (
            MemoryRegion(0x40000, 0x5FFFF, has_code=True, interleaved=False),
            MemoryRegion(0x60000, 0x7FFFF, has_code=False, interleaved=True),
        ),
    ),
)
