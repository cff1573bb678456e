"""The instructions that the core of IPU 2 executes, with opcodes and fields of its C files."""

from __future__ import annotations

from struct import Struct
from typing import Final

from ipu_asm.emulator.core.program import Row, SlotFormat, live, number, old, row

_TRANSFER: Final = SlotFormat(Struct("<5B3x"), ("dest", "offset", "base", "index"))
SLOTS: Final = {
    "break": SlotFormat(Struct("<2B2xI"), ("reg", "value")),
    "lr": SlotFormat(Struct("<4BI"), ("dest", "a", "b", "value")),
    "load": _TRANSFER,
    "mult": SlotFormat(Struct("<6B2x"), ("index", "source", "mask", "shift", "structure")),
    "acc": SlotFormat(
        Struct("<8B"),
        ("row", "horizontal", "vertical", "offset", "source", "dest", "structure"),
    ),
    "aaq": SlotFormat(Struct("<3Bx"), ("function", "structure")),
    "store": _TRANSFER,
    "acc_store": _TRANSFER,
    "cond": SlotFormat(Struct("<3BxI"), ("a", "b", "label")),
}
"""The structures of a `Bundle` in `machine.h`, in order."""

_ROW: Final = {"offset": live("offset"), "base": live("base")}
_SUM: Final = {"dest": number("dest"), "a": old("src_a"), "b": old("src_b")}
_COUNT: Final = {"dest": number("dest"), "value": number("imm")}
_COMPARED: Final = {"a": old("reg1"), "b": old("reg2"), "label": number("label")}
_MASK: Final = {"mask": number("mask_offset"), "shift": live("mask_shift")}
_CYCLIC: Final = {"index": live("rc_idx"), **_MASK, "structure": live("cr_idx")}
_STAGE: Final = {
    "index": live("ra_idx"),
    "source": live("cr_idx"),
    **_MASK,
    "structure": live("dstructure_cr_idx"),
}
_AGGREGATE: Final = {"dest": old("dest_slot"), "structure": live("cr_idx")}
# Greater codes are reserved: they fault.
_STRIDES: Final = {
    "horizontal": number("horizontal_stride", 2),
    "vertical": number("vertical_stride", 2),
}

METHODS: Final[dict[str, Row]] = {
    "execute_break": row(1),
    "execute_break_ifeq": row(2, reg=old("reg"), value=number("value")),
    "execute_set": row(1, dest=number("reg"), a=old("src")),
    "execute_add": row(2, **_SUM),
    "execute_sub": row(3, **_SUM),
    "execute_incr_mod_pow2": row(4, dest=number("dest"), b=old("step"), value=number("k")),
    "execute_inc": row(5, **_COUNT),
    "execute_dec": row(6, **_COUNT),
    "execute_addb": row(7, dest=number("dest"), b=old("src_b")),
    "execute_addbi": row(8, **_COUNT),
    "execute_ldr_mult_reg": row(1, dest=number("dest"), **_ROW),
    "execute_ldr_cyclic_mult_reg": row(2, index=live("index"), **_ROW),
    "execute_ldr_mult_mask_reg": row(3, **_ROW),
    "execute_mult_rc_vv": row(1, source=number("ra"), **_CYCLIC),
    "execute_mult_rc_ve": row(2, source=number("src"), **_CYCLIC),
    "execute_mult_rc_vs": row(3, **_CYCLIC),
    "execute_mult_ve": row(4, **_STAGE),
    "execute_mult_ee": row(5, **_STAGE),
    "execute_acc_add": row(1),
    "execute_acc_add_first": row(2),
    "execute_acc_max": row(3),
    "execute_acc_max_first": row(4),
    "execute_acc_sub": row(5),
    "execute_acc_sub_first": row(6),
    "execute_acc_stride": row(7, row=number("elements_in_row"), offset=live("offset"), **_STRIDES),
    "execute_agg_sum_first": row(8, **_AGGREGATE),
    "execute_agg_sum": row(9, **_AGGREGATE),
    "execute_agg_max_first": row(10, **_AGGREGATE),
    "execute_agg_max": row(11, **_AGGREGATE),
    "execute_acc_reshape": row(
        12, row=number("reshape_mask"), source=number("source"), dest=number("dest")
    ),
    "execute_activate_quantize": row(1, function=number("activation_fn"), structure=live("cr_idx")),
    "execute_str_post_aaq_reg": row(1, **_ROW),
    "execute_str_acc_reg": row(1, **_ROW),
    "execute_beq": row(1, **_COMPARED),
    "execute_bne": row(2, **_COMPARED),
    "execute_blt": row(3, **_COMPARED),
    "execute_bge": row(4, **_COMPARED),
    "execute_br": row(5, a=old("reg")),
    "execute_bkpt": row(6),
}
"""By the method of an instruction. The opcode is the number of the enumerator of that name."""
