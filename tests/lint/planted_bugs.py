"""Bugs of kernel authors, planted into kernels that have no finding.

Each bug is an edit: a text of the kernel and what replaces it where it first occurs.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PLANTED, EXAMPLES = ROOT / "tests" / "data" / "planted", ROOT / "examples"


class Kernel(NamedTuple):
    """A kernel without findings, and the registers that its host sets."""

    path: Path
    presets: dict[str, int]

    @property
    def text(self) -> str:
        return self.path.read_text("utf-8")


class Bug(NamedTuple):
    """An edit of a kernel, and the code of the rule that tells it."""

    kernel: str
    code: str
    old: str
    new: str


KERNELS = {
    "rows": Kernel(PLANTED / "rows.s", {}),
    "tiles": Kernel(PLANTED / "tiles.s", {}),
    "maxima": Kernel(PLANTED / "maxima.s", {}),
    "pooled": Kernel(PLANTED / "pooled.s", {}),
    "unrolled": Kernel(PLANTED / "unrolled.asm", {}),
    "conv": Kernel(EXAMPLES / "conv3x3_row.s", {"cr4": 640}),
    "product": Kernel(EXAMPLES / "elementwise_multiply.s", {"cr3": 1024}),
    "connected": Kernel(EXAMPLES / "fully_connected.s", {}),
    "norm": Kernel(EXAMPLES / "inverse_norm.s", {"cr2": 1024}),
    "pool": Kernel(EXAMPLES / "max_pool_2x2.s", {"cr4": 2048}),
    "requantize": Kernel(EXAMPLES / "requantize_int8.s", {"cr6": 1024}),
    "softmax": Kernel(EXAMPLES / "softmax_stats.s", {"cr4": 1024}),
    "filter": Kernel(EXAMPLES / "row_filter.asm", {"cr2": 4096}),
}


def _of(kernel: str, *bugs: tuple[str, str, str]) -> list[Bug]:
    return [Bug(kernel, code, old, new) for code, old, new in bugs]


BUGS = [
    *_of(
        "rows",
        ("W301", "ldr_mult_reg r1 lr5 cr0;;", "ldr_mult_reg mem_bypass lr5 cr0;;"),
        ("W301", "ldr_mult_reg r0 lr0 cr0;;", "acc_nop;;"),
        ("W301", "mult.ve r1 lr0", "mult.ve mem_bypass lr0"),
        ("W301", "ldr_cyclic_mult_reg lr1 cr1 lr0;", "ldr_mult_reg r0 lr1 cr1;"),
        ("W302", "mult.ve r0 lr0 lr0 lr0 lr6", "mult.ve r0 lr2 lr0 lr0 lr6"),
        ("W302", "mult.ve r1 lr0 lr0 lr0 lr9", "mult.ve r1 lr6 lr0 lr0 lr9; set lr6 130"),
        ("W303", "set lr1 -128", "set lr1 -256"),
        ("W303", "set lr4 -512", "set lr4 -513"),
        ("W303", "ldr_cyclic_mult_reg lr1 cr1 lr0", "ldr_cyclic_mult_reg lr1 cr1 lr9"),
        ("W310", "set lr2 896", "set lr2 900"),
        ("W304", "set lr0 0; set lr1 -128;;", "set lr0 0; set lr1 0;;"),
        ("W304", "set lr1 -128", "set lr3 -128"),
        ("W305", "str_acc_reg lr4 cr2", "str_acc_reg lr0 cr2"),
        ("W305", "set lr5 512;", "set lr5 0; set lr4 0;;"),
        ("W307", "set lr2 896", "set lr2 -128"),
        ("W309", "set lr9 127;", "set lr9 128;; set lr9 127;"),
        ("W309", "set lr6 -1;;", "set lr6 0;; set lr6 -1;;"),
        ("W310", "bne lr1 lr2 row", "bne lr5 lr2 row"),
        ("W313", "str_acc_reg lr4 cr2", "str_acc_reg lr4 cr3"),
        ("W311", "set lr2 896", "set lr2 768"),
        ("W311", "set lr5 512", "set lr5 1024"),
        ("W311", "set lr9 127", "set lr9 126"),
    ),
    *_of(
        "tiles",
        ("W301", "ldr_mult_reg mem_bypass lr3 cr4", "ldr_mult_reg r0 lr3 cr4"),
        ("W301", "mult.ee mem_bypass", "mult.ee r1"),
        ("W301", "ldr_cyclic_mult_reg lr2 cr0 lr4", "ldr_mult_reg r1 lr2 cr0"),
        ("W302", "ldr_cyclic_mult_reg lr2 cr0 lr4", "ldr_cyclic_mult_reg lr2 cr0 lr0"),
        ("W302", "ldr_cyclic_mult_reg lr2 cr0 lr4", "ldr_cyclic_mult_reg lr2 cr0 lr1"),
        ("W303", "incr lr4 128; incr lr2 128", "incr lr4 64; incr lr2 128"),
        ("W303", "set lr2 0;", "set lr2 -128;"),
        ("W303", "set lr12 0; set lr3 -512;;", "set lr12 0; set lr3 -1024;;"),
        ("W310", "bne lr4 lr1 load", "bne lr4 lr11 load"),
        ("W305", "incr lr3 512;;", "incr lr13 512; set lr3 0;;"),
        ("W305", "str_acc_reg lr3 cr1", "str_acc_reg lr0 cr1"),
        ("W307", "set lr10 5;", "set lr10 0;"),
        ("W307", "set lr11 4;;", "set lr11 0;;"),
        ("W307", "set lr12 0;", "set lr12 5;"),
        ("W309", "set lr6 0; reset_acc", "set lr5 0; reset_acc"),
        ("W309", "set lr4 0; set lr5 0;;", "set lr4 128;; set lr4 0; set lr5 0;;"),
        ("W310", "blt lr6 lr11 part", "blt lr0 lr11 part"),
        ("W310", "incr lr12 1;", "incr lr13 1;"),
        ("W310", "incr lr6 1;;", "incr lr6 0;;"),
        ("W311", "lr1 = 512", "lr1 = 1024"),
        ("W311", "set lr10 5; set lr11 4", "set lr10 6; set lr11 3"),
    ),
    *_of(
        "maxima",
        ("W301", "ldr_cyclic_mult_reg lr1 cr0 lr0;", "ldr_mult_reg r0 lr1 cr0;"),
        ("W301", "set lr0 0; set lr3 512;;", "set lr0 0; set lr3 256;;"),
        ("W301", "mult.ve.cr lr3 lr0 lr0 cr3", "mult.ve.cr lr0 lr0 lr0 cr3"),
        (
            "W302",
            "ldr_cyclic_mult_reg lr1 cr0 lr0;",
            "ldr_cyclic_mult_reg lr1 cr0 lr14; set lr14 128;",
        ),
        ("W303", "set lr4 -512;", "set lr4 -640;"),
        ("W303", "set lr1 0;", "set lr1 -1;"),
        ("W304", "set lr4 -512;", "set lr5 -512;"),
        ("W305", "incr lr4 512;", "set lr4 0;"),
        ("W305", "incr lr4 512;\n    str_acc_reg lr4", "incr lr5 512;\n    str_acc_reg lr0"),
        ("W306", "acc.first;\n    agg sum value_cr cr5 aaq0;;", "acc.first;;"),
        (
            "W306",
            "agg sum value_cr cr5 aaq0;;\n    mult.ve.aaq",
            "agg sum value_cr cr5 aaq2;;\n    mult.ve.aaq",
        ),
        ("W306", "mult.ve.aaq lr0 lr0 lr0 aaq1", "mult.ve.aaq lr0 lr0 lr0 aaq0"),
        ("W307", "set lr2 1920;;", "set lr2 0;;"),
        ("W309", "set lr1 0;", "set lr1 128;; set lr1 0;"),
        ("W310", "incr lr1 128;", "incr lr6 128;"),
        ("W311", "lr3 = 512", "lr3 = 511"),
    ),
    *_of(
        "pooled",
        ("W301", "ldr_mult_reg r1 lr4 cr1", "ldr_mult_reg r0 lr4 cr1"),
        ("W301", "mult.ve r1", "mult.ve mem_bypass"),
        ("W302", "mult.ve.cr lr0 lr0 lr0 cr3", "mult.ve.cr lr8 lr0 lr0 cr3"),
        ("W302", "mult.ve r1 lr0", "mult.ve r1 lr8"),
        ("W303", "set lr1 -128", "set lr1 -200"),
        ("W304", "set lr1 -128; set lr5 -1;;", "set lr1 0; set lr5 -1;;"),
        (
            "W305",
            "xmem.store_aaq_result lr4 cr1;\n    acc.stride",
            "str_acc_reg lr6 cr2;;\n    acc.stride",
        ),
        ("W307", "set lr7 3", "set lr7 -1"),
        ("W307", "set lr6 640", "set lr6 256"),
        ("W308", "acc.stride 32 on on lr5", "acc.stride 32 off on lr5"),
        ("W308", "acc.stride 32 on on lr5", "acc.stride 32 on off lr5"),
        ("W308", "acc.stride 32 on on lr5", "acc.stride 32 off off lr5"),
        ("W308", "acc.stride 32 on on lr5", "acc.stride 32 on_expand on lr5"),
        ("W308", "acc.stride 16 on_expand on lr10", "acc.stride 16 on_expand on lr7"),
        ("W308", "acc.stride 16 on_expand on lr10", "acc.stride 16 reserved6 on lr10"),
        ("W308", "acc.stride 16 on_expand on lr10", "acc.stride 16 on reserved3 lr10"),
        ("W309", "set lr6 640;", "set lr6 512;; set lr6 640;"),
        ("W310", "incr lr4 128;;", "incr lr4 0;;"),
        ("W310", "blt lr4 lr6 copy", "blt lr0 lr6 copy"),
        ("W311", "lr8 = 384", "lr8 = 385"),
        ("W311", "set lr7 3", "set lr7 2"),
    ),
    *_of(
        "unrolled",
        ("W301", "ldr_mult_reg r1 lr3 cr1", "ldr_mult_reg r0 lr3 cr1"),
        ("W301", "ldr_cyclic_mult_reg lr1 cr0 {{ zero }};", ""),
        ("W302", "cr0 {{ zero }};", "cr0 lr14; set lr14 128;"),
        ("W303", "set lr1 -128", "set lr1 -256"),
        ("W303", "incr lr1 -256", "incr lr1 -512"),
        ("W304", "set lr1 -128", "set lr1 0"),
        ("W304", "set lr2 -512", "set lr2 0"),
        ("W305", "incr lr1 -256; incr lr2 512;", "incr lr1 -256; set lr2 0;"),
        ("W307", "set lr5 7", "set lr5 0"),
        ("W309", "set lr4 0; set lr5 7;;", "set lr5 6;; set lr4 0; set lr5 7;;"),
        ("W310", "incr lr4 1;", "incr lr4 2;"),
        ("W310", "bne lr4 lr5 row", "bnz lr3 lr5 row"),
        ("W311", "set lr9 1024", "set lr9 1023"),
    ),
    *_of(
        "conv",
        ("W301", "mem_bypass lr3 cr1", "r1 lr3 cr1"),
        ("W301", "ldr_mult_reg          r0 lr0 cr1;;", "acc_nop;;"),
        ("W302", "ldr_cyclic_mult_reg   lr0 cr0 lr0;;", "acc_nop;;"),
        ("W303", "set                   lr5 -512", "set                   lr5 -1024"),
        ("W304", "set                   lr5 -512", "set                   lr5 0"),
        ("W310", "bne                   lr3", "bne                   lr2"),
    ),
    *_of(
        "product",
        ("W301", "ldr_mult_reg          r0 lr0 cr0;;", "ldr_mult_reg          r1 lr0 cr0;;"),
        ("W302", "mult.ee               r0 lr3", "mult.ee               r0 lr2"),
        ("W303", "set                   lr1 -512", "set                   lr1 -1024"),
        ("W305", "str_acc_reg           lr1 cr2", "str_acc_reg           lr3 cr2"),
        ("W313", "str_acc_reg           lr1 cr2", "str_acc_reg           lr1 cr3"),
        ("W313", "ldr_mult_reg          r0 lr0 cr0;;", "ldr_mult_reg          r0 lr0 cr1;;"),
    ),
    *_of(
        "connected",
        ("W302", "ldr_cyclic_mult_reg   lr1 cr1 lr6", "ldr_cyclic_mult_reg   lr1 cr1 lr5"),
        ("W304", "set                   lr4 -256", "set                   lr4 0"),
        ("W313", "ldr_cyclic_mult_reg   lr1 cr1 lr6", "ldr_cyclic_mult_reg   lr1 cr4 lr6"),
        ("W305", "incr                  lr4 256;  ", "set                   lr4 0;  "),
        ("W307", "set                   lr5 1152", "set                   lr5 0"),
    ),
    *_of("norm", ("W310", "incr                  lr1 128", "incr                  lr7 128")),
    *_of("pool", ("W308", "acc.stride            64 on on", "acc.stride            64 off on")),
    *_of(
        "requantize",
        ("W301", "ldr_cyclic_mult_reg   lr1 cr0 lr0;", ""),
        ("W305", "xmem.store_aaq_result lr1 cr1", "xmem.store_aaq_result lr0 cr1"),
    ),
    *_of(
        "softmax",
        (
            "W306",
            "agg                   sum value_cr cr5 aaq0",
            "agg                   sum value_cr cr5 aaq3",
        ),
        ("W302", "ldr_cyclic_mult_reg   lr1 cr1 lr3;", ""),
    ),
    *_of(
        "filter",
        ("W304", "set                   {{ target }} -512", "set                   {{ target }} 0"),
        (
            "W310",
            "incr                  {{ target }} 512",
            "set                   {{ target }} 512",
        ),
    ),
]
