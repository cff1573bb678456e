"""The IPU's instructions, each described once: slot -> mnemonic -> entry.

The single source of truth about all instructions. An opcode is the position of its entry in its
slot: append to keep the opcodes that exist. Names, operands and operations come from the "IPU
Assembly Instruction Reference", the shape of an entry from "Adding Instructions"; where the two
contradict themselves, the entry states what is executed.

An entry has:

operands
    `name`, `type` and, where the handler receives a value instead of an index, `read`: "snapshot"
    (the value from before the bundle) or "live" (what the slots before it in the order
    lr, xmem, mult, acc, aaq, cond have just written counts).
doc
    The text of hover, completion and reference. Each of its `operands` lines is "name: text".
execute_fn
    The method of `Ipu` that executes it.

and, only where they apply:

writes
    What it changes: names of destination operands, and of state (mult_res, r_acc, r_cyclic,
    r_mask, aaq_result, xmem). The program counter is not listed.
reads
    What it reads beyond the operands' own `read`: operands that are passed as an index, and state.
    State of which it overwrites a part and keeps the rest is read as well.
flow
    What it does to the program counter: branch, jump, indirect, halt or break.
deprecated
    What to write instead.
idle
    Operand values with which it does nothing at all.
nop
    True if it never does anything: what a slot holds that a bundle does not name.
traits
    "may-fault": it faults for some data. (What it demands of addresses follows from `accesses`, of
    other registers from `requires`.)

In an operation `old x` is x before the bundle; a bare x sees what this bundle has written so far.
"""

from typing import Any

from ipu_asm.isa.model import InstructionDoc

__all__ = ["INSTRUCTION_SPEC", "InstructionDoc"]

INSTRUCTION_SPEC: dict[str, dict[str, dict[str, Any]]] = {
    "break": {
        "break": {
            "operands": [],
            "doc": InstructionDoc(
                title="Break",
                summary=(
                    "Stops a debugger in front of this bundle, before any of its slots has run; "
                    "resuming runs the bundle without asking again. "
                    "A run without a debugger ignores it at no cost in cycles."
                ),
                syntax="break",
                operation="if debugging: stop before this bundle",
                example="break;\nacc.first;;",
            ),
            "execute_fn": "execute_break",
            "flow": "break",
        },
        "break.ifeq": {
            "operands": [
                {"name": "reg", "type": "LrIdx", "read": "snapshot"},
                {"name": "value", "type": "BreakImmediate"},
            ],
            "doc": InstructionDoc(
                title="Break if Equal",
                summary=(
                    "Stops a debugger in front of this bundle if a loop register holds a given "
                    "number, compared before this bundle's lr instructions run. "
                    "The number counts as unsigned, so a negative one never matches "
                    "a register that holds a small negative value."
                ),
                syntax="break.ifeq reg value",
                operands=[
                    "reg: Register to test, all 32 bits (lr0-lr15), value from before the bundle",
                    "value: Number to wait for, 16 bits, read as 0 to 65535 (-1 means 65535)",
                ],
                operation="if debugging and old reg == (value & 0xFFFF): stop before this bundle",
                example="loop:\n    break.ifeq lr0 10;\n    incr lr0 1;\n    bne lr0 lr1 loop;;",
            ),
            "execute_fn": "execute_break_ifeq",
            "flow": "break",
        },
        "break_nop": {
            "operands": [],
            "doc": InstructionDoc(
                title="No Operation (BREAK)",
                summary="Never stops. A bundle that names no break instruction holds this one.",
                syntax="break_nop",
                operation="nothing changes",
                example="break_nop;;",
            ),
            "execute_fn": "execute_break_nop",
            "nop": True,
        },
    },
    "xmem": {
        "str_acc_reg": {
            "operands": [
                {"name": "offset", "type": "LrIdx", "read": "live"},
                {"name": "base", "type": "CrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Store Accumulator",
                summary=(
                    "Writes all 128 words of r_acc to xmem, 512 bytes in little-endian order. "
                    "The words are those from before the bundle: the acc instruction beside it "
                    "comes too late. A range that runs past the end of the 2 MiB faults."
                ),
                syntax="str_acc_reg offset base",
                operands=[
                    "offset: Byte offset (lr0-lr15), unsigned; this bundle's lr writes count",
                    "base: Byte address (cr0-cr15) the offset is added to, without wrapping",
                ],
                operation="xmem[offset + base : +512] = old r_acc",
                example="acc;;\nstr_acc_reg lr0 cr0;\nincr lr0 512;;",
            ),
            "execute_fn": "execute_str_acc_reg",
            "accesses": ["write 512 xmem[offset + base]"],
            "writes": ["xmem"],
            "reads": {"r_acc": "snapshot"},
        },
        "ldr_mult_reg": {
            "operands": [
                {"name": "dest", "type": "MultStageReg"},
                {"name": "offset", "type": "LrIdx", "read": "live"},
                {"name": "base", "type": "CrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Load Register",
                summary=(
                    "Loads 128 bytes from xmem, at any alignment, into a register of the multiply "
                    "stage. A mult instruction in the same bundle already sees them. "
                    "A range that runs past the end of the 2 MiB faults."
                ),
                syntax="ldr_mult_reg dest offset base",
                operands=[
                    "dest: Register to fill (r0, r1 or mem_bypass), all 128 bytes",
                    "offset: Byte offset (lr0-lr15), unsigned; this bundle's lr writes count",
                    "base: Byte address (cr0-cr15) the offset is added to, without wrapping",
                ],
                operation="dest = xmem[offset + base : +128]",
                example="set lr0 0x1000;\nldr_mult_reg r0 lr0 cr0;;",
            ),
            "execute_fn": "execute_ldr_mult_reg",
            "accesses": ["read 128 xmem[offset + base]"],
            "writes": ["dest"],
            "reads": {"xmem": "live"},
        },
        "ldr_cyclic_mult_reg": {
            "operands": [
                {"name": "offset", "type": "LrIdx", "read": "live"},
                {"name": "base", "type": "CrIdx", "read": "live"},
                {"name": "index", "type": "LrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Load Cyclic Register",
                summary=(
                    "Loads 128 bytes from xmem into one quarter of r_cyclic; the other three "
                    "quarters keep their bytes, and a mult instruction in the same bundle already "
                    "sees the new ones. Faults if the index is not a multiple of 128 or the range "
                    "runs past the end of the 2 MiB."
                ),
                syntax="ldr_cyclic_mult_reg offset base index",
                operands=[
                    "offset: Byte offset (lr0-lr15), unsigned; this bundle's lr writes count",
                    "base: Byte address (cr0-cr15) the offset is added to, without wrapping",
                    "index: First byte of r_cyclic to fill (lr0-lr15), modulo 512; must be n * 128",
                ],
                operation=(
                    "fault if index mod 128 != 0\n"
                    "r_cyclic[index mod 512 : +128] = xmem[offset + base : +128]"
                ),
                example="set lr1 128;\nldr_cyclic_mult_reg lr0 cr0 lr1;;",
            ),
            "execute_fn": "execute_ldr_cyclic_mult_reg",
            "accesses": ["read 128 xmem[offset + base]", "write 128 r_cyclic[index]"],
            "writes": ["r_cyclic"],
            "reads": {"xmem": "live", "r_cyclic": "snapshot"},
        },
        "ldr_mult_mask_reg": {
            "operands": [
                {"name": "offset", "type": "LrIdx", "read": "live"},
                {"name": "base", "type": "CrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Load Mask Register",
                summary=(
                    "Loads 128 bytes from xmem, at any alignment, into r_mask: all eight masks of "
                    "128 bits at once. A mult instruction in the same bundle already uses them. "
                    "A range that runs past the end of the 2 MiB faults."
                ),
                syntax="ldr_mult_mask_reg offset base",
                operands=[
                    "offset: Byte offset (lr0-lr15), unsigned; this bundle's lr writes count",
                    "base: Byte address (cr0-cr15) the offset is added to, without wrapping",
                ],
                operation="r_mask = xmem[offset + base : +128]",
                example="set lr0 0;\nldr_mult_mask_reg lr0 cr2;;",
            ),
            "execute_fn": "execute_ldr_mult_mask_reg",
            "accesses": ["read 128 xmem[offset + base]"],
            "writes": ["r_mask"],
            "reads": {"xmem": "live"},
        },
        "xmem_nop": {
            "operands": [],
            "doc": InstructionDoc(
                title="No Operation (XMEM)",
                summary="Moves nothing. A bundle that names no xmem instruction holds this one.",
                syntax="xmem_nop",
                operation="nothing changes",
                example="xmem_nop;;",
            ),
            "execute_fn": "execute_xmem_nop",
            "nop": True,
        },
        "xmem.store_aaq_result": {
            "operands": [
                {"name": "offset", "type": "LrIdx", "read": "live"},
                {"name": "base", "type": "CrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Store AAQ Result",
                summary=(
                    "Writes the 128 quantized bytes of aaq_result to xmem. "
                    "They are those from before the bundle: what an aaq instruction beside it "
                    "computes is there to store one bundle later. "
                    "A range that runs past the end of the 2 MiB faults."
                ),
                syntax="xmem.store_aaq_result offset base",
                operands=[
                    "offset: Byte offset (lr0-lr15), unsigned; this bundle's lr writes count",
                    "base: Byte address (cr0-cr15) the offset is added to, without wrapping",
                ],
                operation="xmem[offset + base : +128] = old aaq_result",
                example="aaq;;\nxmem.store_aaq_result lr0 cr0;;",
            ),
            "execute_fn": "execute_xmem_store_aaq_result",
            "accesses": ["write 128 xmem[offset + base]"],
            "writes": ["xmem"],
            "reads": {"aaq_result": "snapshot"},
        },
    },
    "mult": {
        "mult.ee": {
            "operands": [
                {"name": "ra", "type": "MultStageReg", "read": "live"},
                {"name": "cyclic_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_shift", "type": "LrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Element-wise Multiply",
                summary=(
                    "Multiplies the 128 elements of a register, one by one, by 128 consecutive "
                    "elements of r_cyclic, going round at 512. "
                    "All sources include what this bundle has just loaded or computed. "
                    "Faults unless cr15 names an element type (0, 1 or 2)."
                ),
                syntax="mult.ee ra cyclic_offset mask_offset mask_shift",
                operands=[
                    "ra: The 128 multiplicands (r0, r1 or mem_bypass); this bundle's load counts",
                    "cyclic_offset: Element of r_cyclic for ra[0] (lr0-lr15), modulo 512",
                    "mask_offset: Mask number (lr0-lr15), modulo 8; a set bit zeroes its element",
                    "mask_shift: Elements to move the mask up (lr0-lr15); negative moves it down",
                ],
                operation=(
                    "mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in\n"
                    "for i in [0, 128):\n"
                    "    element = r_cyclic[(cyclic_offset + i) mod 512]\n"
                    "    mult_res[i] = 0 if mask[i] else ra[i] * element"
                ),
                example="ldr_mult_reg r0 lr3 cr0;\nmult.ee r0 lr0 lr1 lr2;\nacc;;",
            ),
            "execute_fn": "execute_mult_ee",
            "requires": ["cr15 in 0..2"],
            "windows": ["128 r_cyclic[cyclic_offset]"],
            "writes": ["mult_res"],
            "reads": {"r_cyclic": "live", "r_mask": "live"},
        },
        "mult.ev": {
            "operands": [
                {"name": "ra", "type": "MultStageReg", "read": "live"},
                {"name": "fixed_cyclic_idx", "type": "LrIdx", "read": "live"},
                {"name": "mask_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_shift", "type": "LrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Element-Cyclic Multiply (Deprecated)",
                summary=(
                    "Multiplies each of the 128 elements of a register by one and the same element "
                    "of r_cyclic. All sources include what this bundle has just loaded or "
                    "computed. Faults unless cr15 names an element type (0, 1 or 2)."
                ),
                syntax="mult.ev ra fixed_cyclic_idx mask_offset mask_shift",
                operands=[
                    "ra: The 128 multiplicands (r0, r1 or mem_bypass); this bundle's load counts",
                    "fixed_cyclic_idx: Element of r_cyclic to use (lr0-lr15), modulo 512",
                    "mask_offset: Mask number (lr0-lr15), modulo 8; a set bit zeroes its element",
                    "mask_shift: Elements to move the mask up (lr0-lr15); negative moves it down",
                ],
                operation=(
                    "mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in\n"
                    "for i in [0, 128):\n"
                    "    element = r_cyclic[fixed_cyclic_idx mod 512]\n"
                    "    mult_res[i] = 0 if mask[i] else ra[i] * element"
                ),
                example="mult.ev r0 lr0 lr1 lr2;\nacc;;",
            ),
            "execute_fn": "execute_mult_ev",
            "requires": ["cr15 in 0..2"],
            "windows": ["1 r_cyclic[fixed_cyclic_idx]"],
            "writes": ["mult_res"],
            "reads": {"r_cyclic": "live", "r_mask": "live"},
            "deprecated": (
                "swap the sources and use `mult.ve`: load the scalars, 128 at a time, into `r0` or "
                "`r1` and the vector into `r_cyclic`"
            ),
        },
        "mult.ve": {
            "operands": [
                {"name": "ra", "type": "MultStageReg", "read": "live"},
                {"name": "cyclic_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_shift", "type": "LrIdx", "read": "live"},
                {"name": "fixed_ra_idx", "type": "LrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Vector-Element Multiply",
                summary=(
                    "Multiplies 128 consecutive elements of r_cyclic, going round at 512, by one "
                    "element picked from a register. "
                    "All sources include what this bundle has just loaded or computed. "
                    "Faults unless cr15 names an element type (0, 1 or 2)."
                ),
                syntax="mult.ve ra cyclic_offset mask_offset mask_shift fixed_ra_idx",
                operands=[
                    "ra: Where the scalar is (r0, r1 or mem_bypass); this bundle's load counts",
                    "cyclic_offset: First element of r_cyclic (lr0-lr15), modulo 512",
                    "mask_offset: Mask number (lr0-lr15), modulo 8; a set bit zeroes its element",
                    "mask_shift: Elements to move the mask up (lr0-lr15); negative moves it down",
                    "fixed_ra_idx: Element of ra to use (lr0-lr15), modulo 128",
                ],
                operation=(
                    "mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in\n"
                    "for i in [0, 128):\n"
                    "    element = r_cyclic[(cyclic_offset + i) mod 512]\n"
                    "    mult_res[i] = 0 if mask[i] else ra[fixed_ra_idx mod 128] * element"
                ),
                example="incr lr3 1;\nmult.ve r0 lr0 lr1 lr2 lr3;\nacc;;",
            ),
            "execute_fn": "execute_mult_ve",
            "requires": ["cr15 in 0..2"],
            "windows": ["128 r_cyclic[cyclic_offset]"],
            "writes": ["mult_res"],
            "reads": {"r_cyclic": "live", "r_mask": "live"},
        },
        "mult_nop": {
            "operands": [],
            "doc": InstructionDoc(
                title="No Operation (MULT)",
                summary=(
                    "Multiplies nothing and leaves mult_res as it is, so an acc instruction that "
                    "follows uses the previous products again. "
                    "A bundle that names no mult instruction holds this one."
                ),
                syntax="mult_nop",
                operation="nothing changes",
                example="mult_nop;;",
            ),
            "execute_fn": "execute_mult_nop",
            "nop": True,
        },
        "mult.ve.cr": {
            "operands": [
                {"name": "cyclic_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_shift", "type": "LrIdx", "read": "live"},
                {"name": "cr_idx", "type": "CrIdx"},
            ],
            "doc": InstructionDoc(
                title="Vector-Element Multiply (CR scalar)",
                summary=(
                    "Multiplies 128 consecutive elements of r_cyclic by the low byte of a cr "
                    "register. It does not go round at 512: every element past the end counts as "
                    "the number one of the element type. "
                    "Faults unless cr15 names an element type (0, 1 or 2)."
                ),
                syntax="mult.ve.cr cyclic_offset mask_offset mask_shift cr_idx",
                operands=[
                    (
                        "cyclic_offset: First element of r_cyclic (lr0-lr15), unsigned, unwrapped "
                        "(512 or more, or negative: all ones); this bundle's lr writes count"
                    ),
                    "mask_offset: Mask number (lr0-lr15), modulo 8; a set bit zeroes its element",
                    "mask_shift: Elements to move the mask up (lr0-lr15); negative moves it down",
                    "cr_idx: Register whose low byte is the scalar (cr0-cr15), the rest ignored",
                ],
                operation=(
                    "mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in\n"
                    "for i in [0, 128):\n"
                    "    k = cyclic_offset + i\n"
                    "    element = r_cyclic[k] if k < 512 else one"
                    "  # 0x01 int8, 0x38 e4m3, 0x3C e5m2\n"
                    "    mult_res[i] = 0 if mask[i] else (cr[cr_idx] & 0xFF) * element"
                ),
                example="mult.ve.cr lr0 lr15 lr15 cr3;\nacc;;",
            ),
            "execute_fn": "execute_mult_ve_cr",
            "requires": ["cr15 in 0..2"],
            "windows": ["128 r_cyclic[cyclic_offset] clipped"],
            "writes": ["mult_res"],
            "reads": {"cr_idx": "live", "r_cyclic": "live", "r_mask": "live"},
        },
        "mult.ve.aaq": {
            "operands": [
                {"name": "cyclic_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_offset", "type": "LrIdx", "read": "live"},
                {"name": "mask_shift", "type": "LrIdx", "read": "live"},
                {"name": "aaq_rf_idx", "type": "AaqRegIdx"},
            ],
            "doc": InstructionDoc(
                title="Vector-Element Multiply (AAQ scalar)",
                summary=(
                    "Multiplies 128 consecutive elements of r_cyclic by the low byte an aaq "
                    "register had before the bundle, not the one this bundle's agg writes. "
                    "It does not go round at 512: every element past the end counts as the number "
                    "one of the element type. "
                    "Faults unless cr15 names an element type (0, 1 or 2)."
                ),
                syntax="mult.ve.aaq cyclic_offset mask_offset mask_shift aaq_rf_idx",
                operands=[
                    (
                        "cyclic_offset: First element of r_cyclic (lr0-lr15), unsigned, unwrapped "
                        "(512 or more, or negative: all ones); this bundle's lr writes count"
                    ),
                    "mask_offset: Mask number (lr0-lr15), modulo 8; a set bit zeroes its element",
                    "mask_shift: Elements to move the mask up (lr0-lr15); negative moves it down",
                    "aaq_rf_idx: Register whose low byte is the scalar (aaq0-aaq3), old value",
                ],
                operation=(
                    "mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in\n"
                    "for i in [0, 128):\n"
                    "    k = cyclic_offset + i\n"
                    "    element = r_cyclic[k] if k < 512 else one"
                    "  # 0x01 int8, 0x38 e4m3, 0x3C e5m2\n"
                    "    mult_res[i] = 0 if mask[i] else (old aaq[aaq_rf_idx] & 0xFF) * element"
                ),
                example="agg max value cr0 aaq1;;\nmult.ve.aaq lr0 lr15 lr15 aaq1;\nacc.first;;",
            ),
            "execute_fn": "execute_mult_ve_aaq",
            "requires": ["cr15 in 0..2"],
            "windows": ["128 r_cyclic[cyclic_offset] clipped"],
            "writes": ["mult_res"],
            "reads": {"aaq_rf_idx": "snapshot", "r_cyclic": "live", "r_mask": "live"},
        },
    },
    "acc": {
        "acc": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulate",
                summary=(
                    "Adds the products, mult_res, to the accumulator r_acc, element by element. "
                    "The products are this bundle's, or those of the last mult instruction if it "
                    "has none. Int32 sums wrap; float32 sums beyond the range become infinity."
                ),
                syntax="acc",
                operation="for i in [0, 128): r_acc[i] = old r_acc[i] + mult_res[i]",
                example="mult.ee r0 lr0 lr1 lr2;\nacc;;",
            ),
            "execute_fn": "execute_acc",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "acc.first": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulate First",
                summary=(
                    "Starts a new sum: r_acc becomes the products, mult_res, whatever it held. "
                    "The products are this bundle's, or those of the last mult instruction if it "
                    "has none."
                ),
                syntax="acc.first",
                operation="for i in [0, 128): r_acc[i] = mult_res[i]",
                example="mult.ee r0 lr0 lr1 lr2;\nacc.first;;",
            ),
            "execute_fn": "execute_acc_first",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live"},
        },
        "reset_acc": {
            "operands": [],
            "doc": InstructionDoc(
                title="Reset Accumulator",
                summary=(
                    "Sets all 128 words of the accumulator to zero. "
                    "The products of this bundle are not added; str_acc_reg beside it still "
                    "stores the words from before."
                ),
                syntax="reset_acc",
                operation="for i in [0, 128): r_acc[i] = 0",
                example="reset_acc;;",
            ),
            "execute_fn": "execute_reset_acc",
            "writes": ["r_acc"],
        },
        "acc_nop": {
            "operands": [],
            "doc": InstructionDoc(
                title="No Operation (ACC)",
                summary=(
                    "Leaves the accumulator as it is. "
                    "A bundle that names no acc instruction holds this one."
                ),
                syntax="acc_nop",
                operation="nothing changes",
                example="acc_nop;;",
            ),
            "execute_fn": "execute_acc_nop",
            "nop": True,
        },
        "acc.add_aaq": {
            "operands": [{"name": "aaq_rf_idx", "type": "AaqRegIdx"}],
            "doc": InstructionDoc(
                title="Accumulate and Add AAQ",
                summary=(
                    "Adds the products and one aaq register, the same for all 128 elements, to the "
                    "accumulator. Int32 sums wrap; a float32 sum is rounded once, at the end."
                ),
                syntax="acc.add_aaq aaq_rf_idx",
                operands=[
                    (
                        "aaq_rf_idx: aaq register (aaq0-aaq3) to add, as int32 in INT8 mode and as "
                        "float32 otherwise; value from before the bundle, not this bundle's agg"
                    ),
                ],
                operation=(
                    "for i in [0, 128):\n"
                    "    r_acc[i] = old r_acc[i] + mult_res[i] + old aaq[aaq_rf_idx]"
                ),
                example="mult.ee r0 lr0 lr1 lr2;\nacc.add_aaq aaq0;;",
            ),
            "execute_fn": "execute_acc_add_aaq",
            "writes": ["r_acc"],
            "reads": {"aaq_rf_idx": "snapshot", "mult_res": "live", "r_acc": "snapshot"},
        },
        "acc.add_aaq.first": {
            "operands": [{"name": "aaq_rf_idx", "type": "AaqRegIdx"}],
            "doc": InstructionDoc(
                title="Accumulate and Add AAQ (First)",
                summary=(
                    "Starts a new sum with a bias: the accumulator becomes the products plus one "
                    "aaq register, the same for all 128 elements, whatever it held. "
                    "Int32 sums wrap; a float32 sum is rounded once."
                ),
                syntax="acc.add_aaq.first aaq_rf_idx",
                operands=[
                    (
                        "aaq_rf_idx: aaq register (aaq0-aaq3) to add, as int32 in INT8 mode and as "
                        "float32 otherwise; value from before the bundle, not this bundle's agg"
                    ),
                ],
                operation="for i in [0, 128): r_acc[i] = mult_res[i] + old aaq[aaq_rf_idx]",
                example="mult.ee r0 lr0 lr1 lr2;\nacc.add_aaq.first aaq0;;",
            ),
            "execute_fn": "execute_acc_add_aaq_first",
            "writes": ["r_acc"],
            "reads": {"aaq_rf_idx": "snapshot", "mult_res": "live"},
        },
        "acc.max": {
            "operands": [{"name": "aaq_rf_idx", "type": "AaqRegIdx"}],
            "doc": InstructionDoc(
                title="Accumulator Max",
                summary=(
                    "Keeps, element by element, the greatest of the accumulator, the product and "
                    "one aaq register, as int32 in INT8 mode and as float32 otherwise. "
                    "A later one of the three wins only if strictly greater: a NaN in the "
                    "accumulator stays, a NaN in the others is passed over."
                ),
                syntax="acc.max aaq_rf_idx",
                operands=[
                    "aaq_rf_idx: What to compare with (aaq0-aaq3); this bundle's agg is too late",
                ],
                operation=(
                    "for i in [0, 128):\n"
                    "    r_acc[i] = max(old r_acc[i], mult_res[i], old aaq[aaq_rf_idx])"
                ),
                example="mult.ee r0 lr0 lr1 lr2;\nacc.max aaq0;;",
            ),
            "execute_fn": "execute_acc_max",
            "writes": ["r_acc"],
            "reads": {"aaq_rf_idx": "snapshot", "mult_res": "live", "r_acc": "snapshot"},
        },
        "acc.max.first": {
            "operands": [{"name": "aaq_rf_idx", "type": "AaqRegIdx"}],
            "doc": InstructionDoc(
                title="Accumulator Max (First)",
                summary=(
                    "Starts a new maximum: the accumulator becomes, element by element, the "
                    "greater of the product and one aaq register. "
                    "What it held is left out, not taken as zero, so results may be negative. "
                    "The aaq register wins only if strictly greater."
                ),
                syntax="acc.max.first aaq_rf_idx",
                operands=[
                    "aaq_rf_idx: What to compare with (aaq0-aaq3); this bundle's agg is too late",
                ],
                operation="for i in [0, 128): r_acc[i] = max(mult_res[i], old aaq[aaq_rf_idx])",
                example="mult.ee r0 lr0 lr1 lr2;\nacc.max.first aaq0;;",
            ),
            "execute_fn": "execute_acc_max_first",
            "writes": ["r_acc"],
            "reads": {"aaq_rf_idx": "snapshot", "mult_res": "live"},
        },
        "acc.stride": {
            "operands": [
                {"name": "elements_in_row", "type": "ElementsInRow"},
                {"name": "horizontal_stride", "type": "HorizontalStride"},
                {"name": "vertical_stride", "type": "VerticalStride"},
                {"name": "offset", "type": "LrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Accumulator Stride",
                summary=(
                    "Cuts the 128 products into rows, drops every other column and row as told, "
                    "and puts what remains into the accumulator without adding; the accumulator's "
                    "other elements keep their values. "
                    "Faults if the result runs past element 127, or on a reserved stride mode."
                ),
                syntax="acc.stride elements_in_row horizontal_stride vertical_stride offset",
                operands=[
                    "elements_in_row: Row length, 8, 16, 32 or 64 elements, for 16, 8, 4 or 2 rows",
                    (
                        "horizontal_stride: Columns to keep: off all, on even, on_inv odd ones; "
                        "the _expand forms also fill each row with zeros to its old length"
                    ),
                    "vertical_stride: Rows to keep: off all, on even, on_inv odd ones",
                    "offset: Where to start, in units of 32 elements (lr0-lr15), modulo 4; live",
                ],
                operation=(
                    "rows = mult_res in rows of elements_in_row\n"
                    "rows = rows without the columns that horizontal_stride drops\n"
                    "if expand: each row += zeros up to elements_in_row\n"
                    "rows = rows without those that vertical_stride drops\n"
                    "start = (offset mod 4) * 32; n = elements left  # 32, 64 or 128\n"
                    "fault if start + n > 128\n"
                    "r_acc[start : start + n] = rows joined"
                ),
                example="set lr0 2;\nmult.ee r0 lr1 lr2 lr3;\nacc.stride 16 on off lr0;;",
            ),
            "execute_fn": "execute_acc_stride",
            "requires": [
                "offset[1:0] in 0 if horizontal_stride off on_expand on_inv_expand, "
                "vertical_stride off",
                "offset[1:0] in 0..2 if horizontal_stride off on_expand on_inv_expand, "
                "vertical_stride on on_inv",
                "offset[1:0] in 0..2 if horizontal_stride on on_inv, vertical_stride off",
                "never if horizontal_stride reserved5 reserved6 reserved7",
            ],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
    },
    "aaq": {
        "aaq_nop": {
            "operands": [],
            "doc": InstructionDoc(
                title="No Operation (AAQ)",
                summary=(
                    "Leaves the aaq registers and aaq_result as they are. "
                    "A bundle that names no aaq instruction holds this one."
                ),
                syntax="aaq_nop",
                operation="nothing changes",
                example="aaq_nop;;",
            ),
            "execute_fn": "execute_aaq_nop",
            "nop": True,
        },
        "agg": {
            "operands": [
                {"name": "agg_mode", "type": "AggMode"},
                {"name": "post_fn", "type": "PostFn"},
                {"name": "cr_idx", "type": "CrIdx"},
                {"name": "aaq_rf_idx", "type": "AaqRegIdx"},
            ],
            "doc": InstructionDoc(
                title="Accumulator Aggregate",
                summary=(
                    "Reduces the accumulator, including what this bundle's acc just wrote, to one "
                    "number, applies a function to it and stores it in an aaq register; the mult "
                    "and acc of this bundle still see that register's old value. "
                    "In INT8 mode value and value_cr fault if the result does not fit int32, while "
                    "inv and inv_sqrt store the bits of a float32."
                ),
                syntax="agg agg_mode post_fn cr_idx aaq_rf_idx",
                operands=[
                    "agg_mode: sum of the 128 words, or max of them and the old destination",
                    (
                        "post_fn: value (as it is), value_cr (times a cr register), inv (1/v, 0 "
                        "for 0) or inv_sqrt (1/sqrt(v), 0 unless v > 0)"
                    ),
                    (
                        "cr_idx: What value_cr multiplies by (cr0-cr15), int32 in INT8 mode, else "
                        "float32; the other functions ignore it"
                    ),
                    "aaq_rf_idx: Where the result goes (aaq0-aaq3); max reads its old value too",
                ],
                operation=(
                    "sum:      v = r_acc[0] + ... + r_acc[127]  # not rounded, not wrapped\n"
                    "max:      v = max(r_acc[0], ..., r_acc[127], old aaq[aaq_rf_idx])\n"
                    "value:    aaq[aaq_rf_idx] = v\n"
                    "value_cr: aaq[aaq_rf_idx] = v * cr[cr_idx]\n"
                    "inv:      aaq[aaq_rf_idx] = 0 if v == 0 else 1 / v\n"
                    "inv_sqrt: aaq[aaq_rf_idx] = 1 / sqrt(v) if v > 0 else 0\n"
                    "as int32 for an INT8 value or value_cr, else rounded once to float32"
                ),
                example="acc;\nagg sum value cr0 aaq0;;",
            ),
            "execute_fn": "execute_agg",
            "traits": ["may-fault"],
            "writes": ["aaq_rf_idx"],
            "reads": {"cr_idx": "live", "aaq_rf_idx": "snapshot", "r_acc": "live"},
        },
        "aaq": {
            "operands": [],
            "doc": InstructionDoc(
                title="AAQ Quantize",
                summary=(
                    "Clamps each of the 128 int32 words of the accumulator, including what this "
                    "bundle's acc just wrote, to -128..127 and keeps the bytes in aaq_result; the "
                    "next bundle can store them. Faults unless cr15 is 0 (INT8). "
                    "The machine option aaq_shift, 0 unless set, shifts the words right first."
                ),
                syntax="aaq",
                operation=(
                    "fault unless cr15 == 0\n"
                    "for i in [0, 128): aaq_result[i] = clamp(r_acc[i] >> aaq_shift, -128, 127)"
                ),
                example="acc;\naaq;;\nxmem.store_aaq_result lr0 cr0;;",
            ),
            "execute_fn": "execute_aaq",
            "requires": ["cr15 in 0"],
            "writes": ["aaq_result"],
            "reads": {"r_acc": "live"},
        },
    },
    "lr": {
        "incr": {
            "operands": [
                {"name": "reg", "type": "LrIdx"},
                {"name": "value", "type": "Immediate"},
            ],
            "doc": InstructionDoc(
                title="Increment Loop Register",
                summary=(
                    "Adds a constant to a loop register, modulo 2^32. "
                    "xmem, mult and acc of the same bundle see the new value, cond and break the "
                    "old one. Faults if the other lr instruction writes the same register, except "
                    "that adding 0 does nothing at all."
                ),
                syntax="incr reg value",
                operands=[
                    "reg: Loop register to change (lr0-lr15)",
                    "value: Amount, 16 bits, sign-extended: 32768 to 65535 mean -32768 to -1",
                ],
                operation="reg = (reg + sign_extend_16(value)) mod 2^32",
                example="incr lr0 1;;",
            ),
            "execute_fn": "execute_incr",
            "computes": {"reg": "reg + sext16(value)"},
            "writes": ["reg"],
            "reads": {"reg": "live"},
            "idle": {"value": 0},
        },
        "set": {
            "operands": [
                {"name": "reg", "type": "LrIdx"},
                {"name": "value", "type": "Immediate"},
            ],
            "doc": InstructionDoc(
                title="Set Loop Register",
                summary=(
                    "Puts a constant of 16 bits, sign-extended to 32, into a loop register. "
                    "xmem, mult and acc of the same bundle see the new value, cond and break the "
                    "old one. Faults if the bundle's other lr instruction writes the same register."
                ),
                syntax="set reg value",
                operands=[
                    "reg: Loop register to fill (lr0-lr15)",
                    (
                        "value: New value, 16 bits, sign-extended (32768 to 65535: -32768 to -1); "
                        "get larger numbers from a cr register, with add"
                    ),
                ],
                operation="reg = sign_extend_16(value)",
                example="set lr0 0x1000;;",
            ),
            "execute_fn": "execute_set",
            "computes": {"reg": "sext16(value)"},
            "writes": ["reg"],
        },
        "add": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "src_a", "type": "LcrIdx", "read": "snapshot"},
                {"name": "src_b", "type": "LcrIdx", "read": "snapshot"},
            ],
            "doc": InstructionDoc(
                title="Add Registers",
                summary=(
                    "Adds two registers as they were before the bundle, modulo 2^32, whatever the "
                    "other lr instruction does. "
                    "xmem, mult and acc of the same bundle see the sum, cond and break the old "
                    "value. Faults if the other lr instruction writes the same register."
                ),
                syntax="add dest src_a src_b",
                operands=[
                    "dest: Loop register for the sum (lr0-lr15); may be a source too",
                    "src_a: First summand (lr0-lr15 or cr0-cr15), value before the bundle",
                    "src_b: Second summand (lr0-lr15 or cr0-cr15), value before the bundle",
                ],
                operation="dest = (old src_a + old src_b) mod 2^32",
                example="add lr0 lr1 cr2;;",
            ),
            "execute_fn": "execute_add",
            "computes": {"dest": "src_a + src_b"},
            "writes": ["dest"],
        },
        "sub": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "src_a", "type": "LcrIdx", "read": "snapshot"},
                {"name": "src_b", "type": "LcrIdx", "read": "snapshot"},
            ],
            "doc": InstructionDoc(
                title="Subtract Registers",
                summary=(
                    "Subtracts the second register from the first, both as they were before the "
                    "bundle, modulo 2^32, whatever the other lr instruction does. "
                    "xmem, mult and acc of the same bundle see the difference, cond and break the "
                    "old value. Faults if the other lr instruction writes the same register."
                ),
                syntax="sub dest src_a src_b",
                operands=[
                    "dest: Loop register for the difference (lr0-lr15); may be a source too",
                    "src_a: What to subtract from (lr0-lr15 or cr0-cr15), value before the bundle",
                    "src_b: What to subtract (lr0-lr15 or cr0-cr15), value before the bundle",
                ],
                operation="dest = (old src_a - old src_b) mod 2^32",
                example="sub lr0 lr1 lr2;;",
            ),
            "execute_fn": "execute_sub",
            "computes": {"dest": "src_a - src_b"},
            "writes": ["dest"],
        },
    },
    "cond": {
        "beq": {
            "operands": [
                {"name": "reg1", "type": "LrIdx", "read": "snapshot"},
                {"name": "reg2", "type": "LrIdx", "read": "snapshot"},
                {"name": "label", "type": "Label"},
            ],
            "doc": InstructionDoc(
                title="Branch if Equal",
                summary=(
                    "Goes to a label if two loop registers are equal, else on to the next bundle. "
                    "It compares the values from before the bundle: an incr or set beside it does "
                    "not count yet."
                ),
                syntax="beq reg1 reg2 label",
                operands=[
                    "reg1: First loop register (lr0-lr15), value from before the bundle",
                    "reg2: Second loop register (lr0-lr15), value from before the bundle",
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label if old reg1 == old reg2 else pc + 1",
                example="    beq lr0 lr1 end;;\n    acc;;\nend:\n    bkpt;;",
            ),
            "execute_fn": "execute_beq",
            "condition": "reg1 == reg2",
            "flow": "branch",
        },
        "bne": {
            "operands": [
                {"name": "reg1", "type": "LrIdx", "read": "snapshot"},
                {"name": "reg2", "type": "LrIdx", "read": "snapshot"},
                {"name": "label", "type": "Label"},
            ],
            "doc": InstructionDoc(
                title="Branch if Not Equal",
                summary=(
                    "Goes to a label if two loop registers differ, else on to the next bundle. "
                    "It compares the values from before the bundle, so a loop with the counter's "
                    "incr in the same bundle runs once more than one with the incr a bundle "
                    "earlier."
                ),
                syntax="bne reg1 reg2 label",
                operands=[
                    "reg1: First loop register (lr0-lr15), value from before the bundle",
                    "reg2: Second loop register (lr0-lr15), value from before the bundle",
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label if old reg1 != old reg2 else pc + 1",
                example="loop:\n    incr lr0 1;\n    bne lr0 lr1 loop;;",
            ),
            "execute_fn": "execute_bne",
            "condition": "reg1 != reg2",
            "flow": "branch",
        },
        "blt": {
            "operands": [
                {"name": "reg1", "type": "LrIdx", "read": "snapshot"},
                {"name": "reg2", "type": "LrIdx", "read": "snapshot"},
                {"name": "label", "type": "Label"},
            ],
            "doc": InstructionDoc(
                title="Branch if Less Than",
                summary=(
                    "Goes to a label if the first loop register is less than the second, both as "
                    "signed 32-bit numbers, else on to the next bundle. "
                    "It compares the values from before the bundle: an incr or set beside it does "
                    "not count yet."
                ),
                syntax="blt reg1 reg2 label",
                operands=[
                    "reg1: The one that must be smaller (lr0-lr15), value from before the bundle",
                    "reg2: The one to compare with (lr0-lr15), value from before the bundle",
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label if signed(old reg1) < signed(old reg2) else pc + 1",
                example="loop:\n    incr lr0 1;\n    blt lr0 lr1 loop;;",
            ),
            "execute_fn": "execute_blt",
            "condition": "reg1 < reg2",
            "flow": "branch",
        },
        "bnz": {
            "operands": [
                {"name": "test_reg", "type": "LrIdx", "read": "snapshot"},
                {"name": "base_reg", "type": "LrIdx", "read": "snapshot"},
                {"name": "label", "type": "Label"},
            ],
            "doc": InstructionDoc(
                title="Branch if Not Equal to Base",
                summary=(
                    "Goes to a label if the test register differs from the base register, else on "
                    "to the next bundle: the same as bne, and a test against zero only if the base "
                    "holds zero. It compares the values from before the bundle."
                ),
                syntax="bnz test_reg base_reg label",
                operands=[
                    "test_reg: The one in question (lr0-lr15), value from before the bundle",
                    "base_reg: What counts as zero (lr0-lr15), value from before the bundle",
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label if old test_reg != old base_reg else pc + 1",
                example="loop:\n    incr lr3 -1;\n    bnz lr3 lr0 loop;;",
            ),
            "execute_fn": "execute_bnz",
            "condition": "test_reg != base_reg",
            "flow": "branch",
        },
        "bz": {
            "operands": [
                {"name": "test_reg", "type": "LrIdx", "read": "snapshot"},
                {"name": "base_reg", "type": "LrIdx", "read": "snapshot"},
                {"name": "label", "type": "Label"},
            ],
            "doc": InstructionDoc(
                title="Branch if Equal to Base",
                summary=(
                    "Goes to a label if the test register equals the base register, else on to the "
                    "next bundle: the same as beq, and a test against zero only if the base holds "
                    "zero. It compares the values from before the bundle."
                ),
                syntax="bz test_reg base_reg label",
                operands=[
                    "test_reg: The one in question (lr0-lr15), value from before the bundle",
                    "base_reg: What counts as zero (lr0-lr15), value from before the bundle",
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label if old test_reg == old base_reg else pc + 1",
                example="    bz lr3 lr0 zero;;\n    acc;;\nzero:\n    bkpt;;",
            ),
            "execute_fn": "execute_bz",
            "condition": "test_reg == base_reg",
            "flow": "branch",
        },
        "b": {
            "operands": [{"name": "label", "type": "Label"}],
            "doc": InstructionDoc(
                title="Unconditional Branch",
                summary=(
                    "Always goes to a label, after the other slots of the bundle have run. "
                    "A bundle that names no cond instruction holds a b to the bundle after it."
                ),
                syntax="b label",
                operands=[
                    "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023",
                ],
                operation="pc = label",
                example="    b start;;\n    acc;;\nstart:\n    bkpt;;",
            ),
            "execute_fn": "execute_b",
            "flow": "jump",
        },
        "br": {
            "operands": [{"name": "reg", "type": "LrIdx", "read": "snapshot"}],
            "doc": InstructionDoc(
                title="Branch Register",
                summary=(
                    "Goes to the bundle whose number a loop register held before the bundle; "
                    "a set beside it comes too late. An address of 1024 or more, which any "
                    "negative value is too, halts the machine."
                ),
                syntax="br reg",
                operands=[
                    "reg: Bundle address, all 32 bits (lr0-lr15), value from before the bundle",
                ],
                operation="pc = old reg",
                example="set lr0 2;;\nbr lr0;;\nbkpt;;",
            ),
            "execute_fn": "execute_br",
            "flow": "indirect",
        },
        "bkpt": {
            "operands": [],
            "doc": InstructionDoc(
                title="Breakpoint (Halt)",
                summary=(
                    "Ends the program, always and with or without a debugger; the other slots of "
                    "the bundle still run. To stop in a debugger and go on, use break."
                ),
                syntax="bkpt",
                operation="pc = 1024  # halted",
                example="str_acc_reg lr0 cr0;\nbkpt;;",
            ),
            "execute_fn": "execute_bkpt",
            "flow": "halt",
        },
    },
}
