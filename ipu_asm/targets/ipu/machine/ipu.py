"""The slots xmem, lr, cond and break, and the machine: the units of all slots, in their order."""

from __future__ import annotations

from pathlib import Path
from struct import Struct
from typing import Final

from ipu_asm.emulator.core.program import (
    CoreDescription,
    Row,
    SlotFormat,
    live,
    methods_of,
    number,
    old,
    row,
)
from ipu_asm.emulator.registers import WORD_MASK
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.targets.ipu.machine.state import (
    CYCLIC_SIZE,
    MULT_STAGE_MAP,
    R_ACC_SIZE,
    R_REG_SIZE,
    VECTORS,
    IpuState,
    Unit,
)
from ipu_asm.targets.ipu.machine.vectors import AaqUnit, AccUnit, MultUnit
from ipu_asm.targets.ipu_family.machine import BranchUnit

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
_MASK_ROW: Final = {"mask": live("mask_offset"), "shift": live("mask_shift")}
_CYCLIC_ROW: Final = {"cyclic": live("cyclic_offset"), **_MASK_ROW}
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
    "execute_mult_ee": row(1, ra=live("ra"), **_CYCLIC_ROW),
    "execute_mult_ev": row(2, ra=live("ra"), cyclic=live("fixed_cyclic_idx"), **_MASK_ROW),
    "execute_mult_ve": row(3, ra=live("ra"), fixed=live("fixed_ra_idx"), **_CYCLIC_ROW),
    "execute_mult_ve_cr": row(4, fixed=number("cr_idx"), **_CYCLIC_ROW),
    "execute_mult_ve_aaq": row(5, fixed=number("aaq_rf_idx"), **_CYCLIC_ROW),
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

_LAST = IpuState.memory_size - R_REG_SIZE
_CYCLIC = VECTORS["r_cyclic"].start
_MASK = VECTORS["r_mask"].place(0)
_MULT_STAGE = {code: VECTORS[name].place(e) for code, (name, e) in MULT_STAGE_MAP.items()}


class XmemUnit(Unit):
    """Methods of the xmem slot. `offset` and `base` are unsigned; their sum does not wrap."""

    def execute_str_acc_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes that the accumulator had before the bundle."""
        self.state.xmem.write_address(offset + base, self.snapshot.get_r_acc_bytes())

    def execute_ldr_mult_reg(self, *, dest: int, offset: int, base: int) -> None:
        """Load 128 bytes into a register of the multiply stage."""
        self._block[_MULT_STAGE[dest]] = self._row(offset + base)

    def execute_ldr_cyclic_mult_reg(self, *, offset: int, base: int, index: int) -> None:
        """Load 128 bytes into a quarter of r_cyclic. Refuses an unaligned index."""
        if index % R_REG_SIZE:
            raise InstructionError(
                f"the cyclic index must be a multiple of {R_REG_SIZE}, found {index:#x}"
            )
        start = _CYCLIC + index % CYCLIC_SIZE
        address = offset + base
        if address > _LAST:
            self.state.xmem.check_range(address, R_REG_SIZE)
        content = self._memory[address : address + R_REG_SIZE]
        self._block[start : start + R_REG_SIZE] = content

    def execute_ldr_mult_mask_reg(self, *, offset: int, base: int) -> None:
        """Load 128 bytes into r_mask: all eight masks."""
        self._block[_MASK] = self._row(offset + base)

    def execute_xmem_nop(self) -> None:
        """Do nothing."""

    def execute_xmem_store_aaq_result(self, *, offset: int, base: int) -> None:
        """Store the 128 quantized bytes that aaq_result had before the bundle."""
        content = self.snapshot.get_register_bytes("aaq_result")
        self.state.xmem.write_address(offset + base, content)

    def _row(self, address: int) -> bytearray:
        if address > _LAST:
            self.state.xmem.check_range(address, R_REG_SIZE)
        return self._memory[address : address + R_REG_SIZE]


class LrUnit(Unit):
    """Methods of the lr slot. The number of a loop register is its index among the scalars."""

    def execute_incr(self, *, reg: int, value: int) -> None:
        """Add a signed immediate to a register, modulo 2^32."""
        scalars = self._scalars
        scalars[reg] = scalars[reg] + value & WORD_MASK

    def execute_set(self, *, reg: int, value: int) -> None:
        """Set a register to a signed immediate."""
        self._scalars[reg] = value & WORD_MASK

    def execute_add(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Add two registers, modulo 2^32."""
        self._scalars[dest] = src_a + src_b & WORD_MASK

    def execute_sub(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Subtract the second register from the first, modulo 2^32."""
        self._scalars[dest] = src_a - src_b & WORD_MASK


class CondUnit(Unit, BranchUnit):
    """Methods of the cond slot."""

    def execute_bnz(self, *, test_reg: int, base_reg: int, label: int) -> None:
        """Branch if a register differs from its base."""
        if test_reg != base_reg:
            self._registers.pc = label

    def execute_bz(self, *, test_reg: int, base_reg: int, label: int) -> None:
        """Branch if a register equals its base."""
        if test_reg == base_reg:
            self._registers.pc = label

    def execute_b(self, *, label: int) -> None:
        """Branch unconditionally."""
        self._registers.pc = label


class BreakUnit(Unit):
    """Methods of the break slot. They run before the bundle, and only under a debugger."""

    def execute_break(self) -> bool:
        """Always stop."""
        return True

    def execute_break_ifeq(self, *, reg: int, value: int) -> bool:
        """Stop if a register equals a 16-bit number, taken as unsigned."""
        return reg == value & 0xFFFF

    def execute_break_nop(self) -> bool:
        """Never stop."""
        return False


__all__ = ["R_ACC_SIZE", "R_REG_SIZE", "Ipu"]

# Name used in the "Adding Instructions" document.
_MULT_STAGE_MAP: Final = MULT_STAGE_MAP


class Ipu(BreakUnit, LrUnit, XmemUnit, MultUnit, AccUnit, AaqUnit, CondUnit):
    """One IPU operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    execution_order = ("break", "lr", "xmem", "mult", "acc", "aaq", "cond")
    break_slot = "break"


Ipu.core = CoreDescription(
    module=Path(__file__).with_name("core") / "core.wasm",
    slots=SLOTS,
    rows=METHODS,
    machine=Ipu,
    state=IpuState,
    methods=methods_of(Ipu, METHODS),
    option=lambda ipu: int(ipu.aaq_shift),
)
