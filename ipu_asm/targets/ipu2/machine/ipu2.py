"""The slots for memory, loop registers and control, and the machine: the units of all slots."""

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
from ipu_asm.emulator.stops import InstructionError
from ipu_asm.isa.storage import signed
from ipu_asm.targets.ipu2.machine.acc import AaqUnit, AccUnit, AggregateUnit
from ipu_asm.targets.ipu2.machine.mult import MultUnit
from ipu_asm.targets.ipu2.machine.state import (
    FP32,
    INT32,
    R_REG_SIZE,
    ROWS,
    VECTORS,
    Ipu2State,
    Settings,
    Unit,
)
from ipu_asm.targets.ipu_family.machine import BranchUnit

_TRANSFER: Final = SlotFormat(Struct("<5B3x"), ("dest", "offset", "base", "index"))

SLOTS: Final = {
    "break": SlotFormat(Struct("<2B2xI"), ("reg", "value")),
    "lr": SlotFormat(Struct("<4BI"), ("dest", "a", "b", "value")),
    "load": _TRANSFER,
    "mult": SlotFormat(Struct("<6B2x"), ("index", "source", "mask", "shift", "structure")),
    "acc": SlotFormat(
        Struct("<8B"), ("row", "horizontal", "vertical", "offset", "source", "dest", "structure")
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
_MASK_ROW: Final = {"mask": number("mask_offset"), "shift": live("mask_shift")}
_CYCLIC: Final = {"index": live("rc_idx"), **_MASK_ROW, "structure": live("cr_idx")}

_STAGE: Final = {
    "index": live("ra_idx"),
    "source": live("cr_idx"),
    **_MASK_ROW,
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

_MASK: Final = VECTORS["r_mask"].place(0)
_ACC: Final = VECTORS["r_acc"].place(0)
_POST_AAQ: Final = VECTORS["post_aaq_reg"].place(0)
_CYCLIC_INDICES: Final = (0, 128, 256, 384)


class TransferUnit(Unit):
    """Methods of the three slots, which see what the slots before them have written."""

    def __init__(self, state: Ipu2State) -> None:
        super().__init__(state)
        wide = "_wide" if state.settings.wide else ""
        self._row_size = state.settings.row_size
        self._element_size = state.settings.row_size // R_REG_SIZE
        self._stage_places = [VECTORS[f"r{wide}"].place(number) for number in (0, 1)]
        self._cyclic_start = VECTORS[f"r_cyclic{wide}"].start

    def execute_ldr_mult_reg(self, *, dest: int, offset: int, base: int) -> None:
        """Load a row into r0 or r1."""
        start = self._address(offset + base)
        self._block[self._stage_places[dest]] = self._memory[start : start + self._row_size]

    def execute_ldr_cyclic_mult_reg(self, *, offset: int, base: int, index: int) -> None:
        """Load a row into r_cyclic from element `index` on."""
        if index not in _CYCLIC_INDICES:
            raise InstructionError(
                f"the index in r_cyclic must be 0, 128, 256 or 384, found {index:#x}"
            )
        start, size = self._address(offset + base), self._row_size
        place = self._cyclic_start + index * self._element_size
        self._block[place : place + size] = self._memory[start : start + size]

    def execute_ldr_mult_mask_reg(self, *, offset: int, base: int) -> None:
        """Load the first 128 bytes of a row into r_mask: all eight masks."""
        start = self._address(offset + base)
        self._block[_MASK] = self._memory[start : start + R_REG_SIZE]

    def execute_str_post_aaq_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes of post_aaq_reg from the start of a row on."""
        self.state.xmem.write_address(self._address(offset + base), self._block[_POST_AAQ])

    def execute_str_acc_reg(self, *, offset: int, base: int) -> None:
        """Store the 512 bytes of the accumulator from the start of a row on."""
        self.state.xmem.write_address(self._address(offset + base), self._block[_ACC])

    def _address(self, row: int) -> int:
        """The first byte of a row. Raises `InstructionError` if there is no such row."""
        if row >= ROWS:
            raise InstructionError(
                f"the row, offset + base, must be below {ROWS}, found {row} ({row:#x})"
            )
        return row * self._row_size


_WORD_MASK: Final = 0xFFFF_FFFF
_SIGN_BIT: Final = 0x80


class LrUnit(Unit):
    """Methods of the lr slot. The number of a loop register is its index among the scalars."""

    def execute_set(self, *, reg: int, src: int) -> None:
        """Set a register to a config register."""
        self._scalars[reg] = src

    def execute_add(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Add two registers, modulo 2^32."""
        self._scalars[dest] = src_a + src_b & _WORD_MASK

    def execute_sub(self, *, dest: int, src_a: int, src_b: int) -> None:
        """Subtract the second register from the first, modulo 2^32."""
        self._scalars[dest] = src_a - src_b & _WORD_MASK

    def execute_incr_mod_pow2(self, *, dest: int, step: int, k: int) -> None:
        """Add a register to another, modulo 2^k."""
        self._scalars[dest] = self.snapshot.scalars[dest] + step & (1 << k) - 1

    def execute_inc(self, *, dest: int, imm: int) -> None:
        """Add an immediate to a register, modulo 2^32."""
        scalars = self._scalars
        scalars[dest] = scalars[dest] + imm & _WORD_MASK

    def execute_dec(self, *, dest: int, imm: int) -> None:
        """Subtract an immediate from a register, modulo 2^32."""
        scalars = self._scalars
        scalars[dest] = scalars[dest] - imm & _WORD_MASK

    def execute_addb(self, *, dest: int, src_b: int) -> None:
        """Add the low byte of a register, signed, to each byte of a pair."""
        self._add_to_bytes(dest, src_b)

    def execute_addbi(self, *, dest: int, imm: int) -> None:
        """Add a signed immediate to each byte of a pair."""
        self._add_to_bytes(dest, imm)

    def _add_to_bytes(self, pair: int, addend: int) -> None:
        """Add a signed byte to each unsigned byte of a pair of registers, within 0 to 255."""
        addend = (addend & 0xFF ^ _SIGN_BIT) - _SIGN_BIT
        for index in (2 * pair, 2 * pair + 1):
            old = self.snapshot.scalars[index].to_bytes(4, "little")
            new = bytes(max(0, min(255, byte + addend)) for byte in old)
            self._scalars[index] = int.from_bytes(new, "little")


class ControlUnit(Unit, BranchUnit):
    """Methods of the two slots. Those of break say whether a debugger stops before the bundle."""

    def execute_bge(self, *, reg1: int, reg2: int, label: int) -> None:
        """Branch if the first register is not less, both being signed."""
        if signed(reg1) >= signed(reg2):
            self._registers.pc = label

    def execute_break(self) -> bool:
        """Always stop."""
        return True

    def execute_break_ifeq(self, *, reg: int, value: int) -> bool:
        """Stop if a register equals a 16-bit number, taken as unsigned."""
        return reg == value & 0xFFFF

    def execute_nop(self) -> None:
        """Do nothing, in any slot."""


_WIDE_CODES: Final = {None: 0, FP32: 8, INT32: 16}
_QUANTIZE: Final = 32


class Ipu2(ControlUnit, LrUnit, TransferUnit, MultUnit, AccUnit, AggregateUnit, AaqUnit):
    """One IPU 2 operating on a state. Each instruction is implemented by one `execute_...` method.

    `cycles` counts the bundles executed so far.
    """

    execution_order = (
        "break", "lr", "load", "mult", "acc", "aaq", "store", "acc_store", "cond",
    )  # fmt: skip
    break_slot = "break"


def _mode_code(settings: Settings) -> int:
    """The mode as the C files call it in `control.option`."""
    quantize = _QUANTIZE if settings.quantize else 0
    return settings.dtype | _WIDE_CODES[settings.wide] | quantize


Ipu2.core = CoreDescription(
    module=Path(__file__).with_name("core") / "core.wasm",
    slots=SLOTS,
    rows=METHODS,
    machine=Ipu2,
    state=Ipu2State,
    methods=methods_of(Ipu2, METHODS),
    option=lambda machine: _mode_code(machine.state.settings),
)
