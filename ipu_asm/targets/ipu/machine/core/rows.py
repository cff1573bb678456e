"""The instructions that the core of the IPU executes, with opcodes and fields of its C files."""

from __future__ import annotations

from struct import Struct
from typing import Final

from ipu_asm.emulator.core.program import Row, SlotFormat, live, number, old, row

SLOTS: Final = {
    "break": SlotFormat(Struct("<2B2xI"), ("reg", "value")),
    "lr": SlotFormat(Struct("<4BI"), ("dest", "a", "b", "value")),
    "xmem": SlotFormat(Struct("<5B3x"), ("dest", "offset", "base", "index")),
    "mult": SlotFormat(Struct("<6B2x"), ("ra", "cyclic", "mask", "shift", "fixed")),
    "acc": SlotFormat(Struct("<6B2x"), ("aaq", "row", "horizontal", "vertical", "offset")),
    "aaq": SlotFormat(Struct("<5B3x"), ("mode", "post", "cr", "aaq")),
    "cond": SlotFormat(Struct("<3BxI"), ("a", "b", "label")),
}
"""The structures of a `Bundle` in `machine.h`, in order."""

_ADDRESS: Final = {"offset": live("offset"), "base": live("base")}
_MASK: Final = {"mask": live("mask_offset"), "shift": live("mask_shift")}
_CYCLIC: Final = {"cyclic": live("cyclic_offset"), **_MASK}
_SUM: Final = {"dest": number("dest"), "a": old("src_a"), "b": old("src_b")}
_COMPARED: Final = {"a": old("reg1"), "b": old("reg2"), "label": number("label")}
_TESTED: Final = {"a": old("test_reg"), "b": old("base_reg"), "label": number("label")}
# Greater codes are reserved: they fault.
_STRIDES: Final = {
    "horizontal": number("horizontal_stride", 4),
    "vertical": number("vertical_stride", 2),
}


METHODS: Final[dict[str, Row]] = {
    "execute_break": row(1),
    "execute_break_ifeq": row(2, reg=old("reg"), value=number("value")),
    "execute_incr": row(1, dest=number("reg"), value=number("value")),
    "execute_set": row(2, dest=number("reg"), value=number("value")),
    "execute_add": row(3, **_SUM),
    "execute_sub": row(4, **_SUM),
    "execute_str_acc_reg": row(1, **_ADDRESS),
    "execute_ldr_mult_reg": row(2, dest=number("dest"), **_ADDRESS),
    "execute_ldr_cyclic_mult_reg": row(3, index=live("index"), **_ADDRESS),
    "execute_ldr_mult_mask_reg": row(4, **_ADDRESS),
    "execute_xmem_store_aaq_result": row(5, **_ADDRESS),
    "execute_mult_ee": row(1, ra=live("ra"), **_CYCLIC),
    "execute_mult_ev": row(2, ra=live("ra"), cyclic=live("fixed_cyclic_idx"), **_MASK),
    "execute_mult_ve": row(3, ra=live("ra"), fixed=live("fixed_ra_idx"), **_CYCLIC),
    "execute_mult_ve_cr": row(4, fixed=number("cr_idx"), **_CYCLIC),
    "execute_mult_ve_aaq": row(5, fixed=number("aaq_rf_idx"), **_CYCLIC),
    "execute_acc": row(1),
    "execute_acc_first": row(2),
    "execute_reset_acc": row(3),
    "execute_acc_add_aaq": row(4, aaq=number("aaq_rf_idx")),
    "execute_acc_add_aaq_first": row(5, aaq=number("aaq_rf_idx")),
    "execute_acc_max": row(6, aaq=number("aaq_rf_idx")),
    "execute_acc_max_first": row(7, aaq=number("aaq_rf_idx")),
    "execute_acc_stride": row(8, row=number("elements_in_row"), offset=live("offset"), **_STRIDES),
    "execute_agg": row(
        1, mode=number("agg_mode"), post=number("post_fn"), cr=number("cr_idx"),
        aaq=number("aaq_rf_idx"),
    ),
    "execute_aaq": row(2),
    "execute_b": row(6, label=number("label")),
    "execute_beq": row(1, **_COMPARED),
    "execute_bne": row(2, **_COMPARED),
    "execute_blt": row(3, **_COMPARED),
    "execute_br": row(7, a=old("reg")),
    "execute_bkpt": row(8),
    "execute_bz": row(5, **_TESTED),
    "execute_bnz": row(4, **_TESTED),
}  # fmt: skip
"""By the method of an instruction. The opcode is the number of the enumerator of that name."""
