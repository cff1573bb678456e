"""The instructions of IPU 2, each described once: slot -> mnemonic -> entry.

The single source of truth about all instructions. An opcode is the position of its entry in its
slot: append to keep the opcodes that exist. The slots stand from the highest bits of the word to
the lowest, which is also the order in which a written `NOP` looks for a free one. Pseudo-
instructions are in `pseudo_instructions`.

An entry has the keys that `targets/ipu/instruction_spec.py` explains, and:

register_reads
    What it reads in addition if an operand names a register of a file: operand -> register file ->
    state -> "live" or "snapshot".

An operand without `read` is passed to the method as its number: a register's index in its file, a
keyword's code, an immediate. A pair of registers is passed as half the number of its lower one.
`r0`, `r1` and `r_cyclic` stand for the registers of the mode, which are wider with elements of 32
bits.

A bundle executes break, lr, load, mult, acc, aaq, store, acc_store and cond, in this order. In an
operation `old x` is x before the bundle; a bare x sees what this bundle has written so far.
"""

from typing import Any

from ipu_asm.isa.model import InstructionDoc

__all__ = ["INSTRUCTION_SPEC", "InstructionDoc"]

_OFFSET = "offset: Row number (lr0-lr15), unsigned; this bundle's lr writes count"
_BASE = "base: Row number (cr0-cr15) that is added to the offset, without wrapping"
_RC_IDX = "rc_idx: First element of r_cyclic (lr0-lr15), modulo 512; this bundle's lr writes count"
_MASK_OFFSET = "mask_offset: Which of the eight masks of r_mask, 0 to 7"
_MASK_SHIFT = (
    "mask_shift: Elements by which the mask moves up, -3 to 3 (lr0-lr15); a negative number moves "
    "it down, one beyond the range counts as its end"
)
_DSTRUCTURE = (
    "cr_idx: Register (cr0-cr15) with the data structure: valid elements in bits 7:0, partition "
    "in 12:8, pad mode in 14:13"
)
_MULT_DSTRUCTURE = _DSTRUCTURE.replace("cr_idx", "dstructure_cr_idx")
_STRUCTURE = ("cr_idx[12:8] in 0 2 4 8 16", "cr_idx[14:13] in 0..2")
_LABEL = "label: A label, or +N or -N bundles from this one; must lie in 0 to 1023"
_REG1 = "reg1: First register (lr0-lr15 or cr0-cr15), value from before the bundle"
_REG2 = "reg2: Second register (lr0-lr15 or cr0-cr15), value from before the bundle"
_DEST_SLOT = "dest_slot: Word of r_acc to fill (lr0-lr15), modulo 128; value from before the bundle"
_ROW_FAULT = "A row of 16384 or more faults."
_MASKED = "    mult_res[i] = product if mask[i] else pad  # pad: zero, +infinity or -infinity"
_MASK = (
    "mask = r_mask[mask_offset] moved by clamp(mask_shift, -3, 3), within each part of "
    "128 / partition elements\n"
)
_NEW_VALUE = (
    "load, mult, acc and the stores of the same bundle see the new value, cond and break the old "
    "one."
)


def _mult_structure(operand: str) -> list[str]:
    """What a product requires of its data structure; of narrow words it depends on their type."""
    structure = [text.replace("cr_idx", operand) for text in _STRUCTURE]
    zero = f"{operand}[14:13] in 0 if wide"
    return [*structure, f"{zero} int32", f"perhaps {zero} off"]


_ROW_OPERANDS: list[dict[str, Any]] = [
    {"name": "offset", "type": "LrIdx", "read": "live"},
    {"name": "base", "type": "CrIdx", "read": "live"},
]
_MASK_OPERANDS: list[dict[str, Any]] = [
    {"name": "mask_offset", "type": "MultMaskOffsetImmediate"},
    {"name": "mask_shift", "type": "LrIdx", "read": "live"},
]
_COMPARED: list[dict[str, Any]] = [
    {"name": "reg1", "type": "LcrIdx", "read": "snapshot"},
    {"name": "reg2", "type": "LcrIdx", "read": "snapshot"},
    {"name": "label", "type": "Label"},
]


def _no_operation(title: str, summary: str) -> dict[str, Any]:
    """The entry of the no-op of a slot; all of them have one mnemonic."""
    return {
        "operands": [],
        "doc": InstructionDoc(
            title=f"No Operation ({title})",
            summary=(
                f"{summary} A written NOP takes the first slot of the bundle that is still free, "
                "of whatever kind, in the order cond, lr, load, mult, acc, aaq, store, acc_store, "
                "break; slots that are free at the end hold theirs without being asked."
            ),
            syntax="NOP",
            operation="nothing changes",
            example="NOP;;",
        ),
        "execute_fn": "execute_nop",
        "nop": True,
    }


INSTRUCTION_SPEC: dict[str, dict[str, dict[str, Any]]] = {
    "cond": {
        "BEQ": {
            "operands": _COMPARED,
            "doc": InstructionDoc(
                title="Branch if Equal",
                summary=(
                    "Goes to a label if two registers are equal, else on to the next bundle. "
                    "It compares the values from before the bundle: an INC or SET beside it does "
                    "not count yet."
                ),
                syntax="BEQ reg1 reg2 label",
                operands=[_REG1, _REG2, _LABEL],
                operation="pc = label if old reg1 == old reg2 else pc + 1",
                example="    BEQ lr0 cr2 end;;\n    ACC.ADD;;\nend:\n    BKPT;;",
            ),
            "execute_fn": "execute_beq",
            "condition": "reg1 == reg2",
            "flow": "branch",
        },
        "BNE": {
            "operands": _COMPARED,
            "doc": InstructionDoc(
                title="Branch if Not Equal",
                summary=(
                    "Goes to a label if two registers differ, else on to the next bundle. "
                    "It compares the values from before the bundle, so a loop with the counter's "
                    "INC in the same bundle runs once more than one with the INC a bundle earlier."
                ),
                syntax="BNE reg1 reg2 label",
                operands=[_REG1, _REG2, _LABEL],
                operation="pc = label if old reg1 != old reg2 else pc + 1",
                example="loop:\n    INC lr0 1;\n    BNE lr0 cr2 loop;;",
            ),
            "execute_fn": "execute_bne",
            "condition": "reg1 != reg2",
            "flow": "branch",
        },
        "BLT": {
            "operands": _COMPARED,
            "doc": InstructionDoc(
                title="Branch if Less Than",
                summary=(
                    "Goes to a label if the first register is less than the second, both as "
                    "signed 32-bit numbers, else on to the next bundle. "
                    "It compares the values from before the bundle."
                ),
                syntax="BLT reg1 reg2 label",
                operands=[_REG1, _REG2, _LABEL],
                operation="pc = label if signed(old reg1) < signed(old reg2) else pc + 1",
                example="loop:\n    INC lr0 1;\n    BLT lr0 cr2 loop;;",
            ),
            "execute_fn": "execute_blt",
            "condition": "reg1 < reg2",
            "flow": "branch",
        },
        "BGE": {
            "operands": _COMPARED,
            "doc": InstructionDoc(
                title="Branch if Greater or Equal",
                summary=(
                    "Goes to a label unless the first register is less than the second, both as "
                    "signed 32-bit numbers, else on to the next bundle. "
                    "It compares the values from before the bundle."
                ),
                syntax="BGE reg1 reg2 label",
                operands=[_REG1, _REG2, _LABEL],
                operation="pc = label if signed(old reg1) >= signed(old reg2) else pc + 1",
                example="loop:\n    DEC lr0 1;\n    BGE lr0 cr1 loop;;",
            ),
            "execute_fn": "execute_bge",
            "condition": "reg1 >= reg2",
            "flow": "branch",
        },
        "BR": {
            "operands": [{"name": "reg", "type": "LcrIdx", "read": "snapshot"}],
            "doc": InstructionDoc(
                title="Branch Register",
                summary=(
                    "Goes to the bundle whose number a register held before the bundle. "
                    "An address of 1024 or more, which any negative value is too, halts the "
                    "machine."
                ),
                syntax="BR reg",
                operands=[
                    "reg: Bundle address, all 32 bits (lr0-lr15 or cr0-cr15), value from before "
                    "the bundle",
                ],
                operation="pc = old reg",
                example="SET lr0 cr2;;\nBR lr0;;",
            ),
            "execute_fn": "execute_br",
            "flow": "indirect",
        },
        "BKPT": {
            "operands": [],
            "doc": InstructionDoc(
                title="Breakpoint (Halt)",
                summary=(
                    "Ends the program, always and with or without a debugger; the other slots of "
                    "the bundle still run. To stop in a debugger and go on, use BREAK."
                ),
                syntax="BKPT",
                operation="pc = 1024  # halted",
                example="STR_POST_AAQ_REG lr0 cr2;\nBKPT;;",
            ),
            "execute_fn": "execute_bkpt",
            "flow": "halt",
        },
        "NOP": _no_operation("COND", "Goes on to the next bundle."),
    },
    "lr": {
        "SET": {
            "operands": [
                {"name": "reg", "type": "LrIdx"},
                {
                    "name": "src",
                    "type": "CrIdx",
                    "read": "snapshot",
                    "advice": "`SET` copies a config register: start from `cr0`, which is 0, or "
                    "`cr1`, which is 1, and `INC` up to 255 at a time",
                },
            ],
            "doc": InstructionDoc(
                title="Set Loop Register",
                summary=(
                    "Copies a config register into a loop register. There is no form with a "
                    f"number: the host sets cr2 to cr14, INC counts on from there. {_NEW_VALUE}"
                ),
                syntax="SET reg src",
                operands=[
                    "reg: Loop register to fill (lr0-lr15)",
                    "src: Register to copy (cr0-cr15); cr0 is always 0, cr1 is always 1",
                ],
                operation="reg = src",
                example="SET lr0 cr0;;",
            ),
            "execute_fn": "execute_set",
            "computes": {"reg": "src"},
            "writes": ["reg"],
        },
        "ADD": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "src_a", "type": "LrIdx", "read": "snapshot"},
                {
                    "name": "src_b",
                    "type": "LcrIdx",
                    "read": "snapshot",
                    "advice": "`INC` adds a number from 0 to 255",
                },
            ],
            "doc": InstructionDoc(
                title="Add Registers",
                summary=(
                    "Adds two registers as they were before the bundle, modulo 2^32, whatever the "
                    f"other lr instructions do. {_NEW_VALUE}"
                ),
                syntax="ADD dest src_a src_b",
                operands=[
                    "dest: Loop register for the sum (lr0-lr15); may be a source too",
                    "src_a: First summand (lr0-lr15), value before the bundle",
                    "src_b: Second summand (lr0-lr15 or cr0-cr15), value before the bundle",
                ],
                operation="dest = (old src_a + old src_b) mod 2^32",
                example="ADD lr0 lr1 cr2;;",
            ),
            "execute_fn": "execute_add",
            "computes": {"dest": "src_a + src_b"},
            "writes": ["dest"],
        },
        "SUB": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "src_a", "type": "LrIdx", "read": "snapshot"},
                {
                    "name": "src_b",
                    "type": "LcrIdx",
                    "read": "snapshot",
                    "advice": "`DEC` subtracts a number from 0 to 255",
                },
            ],
            "doc": InstructionDoc(
                title="Subtract Registers",
                summary=(
                    "Subtracts the second register from the first, both as they were before the "
                    "bundle, modulo 2^32, whatever the other lr instructions do. "
                    f"{_NEW_VALUE}"
                ),
                syntax="SUB dest src_a src_b",
                operands=[
                    "dest: Loop register for the difference (lr0-lr15); may be a source too",
                    "src_a: What to subtract from (lr0-lr15), value before the bundle",
                    "src_b: What to subtract (lr0-lr15 or cr0-cr15), value before the bundle",
                ],
                operation="dest = (old src_a - old src_b) mod 2^32",
                example="SUB lr0 lr1 lr2;;",
            ),
            "execute_fn": "execute_sub",
            "computes": {"dest": "src_a - src_b"},
            "writes": ["dest"],
        },
        "INCR_MOD_POW2": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "step", "type": "LcrIdx", "read": "snapshot"},
                {"name": "k", "type": "LrModPow2KImmediate"},
            ],
            "doc": InstructionDoc(
                title="Increment Modulo a Power of Two",
                summary=(
                    "Adds a register to a loop register and keeps the low k bits: an index that "
                    f"goes round at 2, 4, 8, ... or 512. {_NEW_VALUE}"
                ),
                syntax="INCR_MOD_POW2 dest step k",
                operands=[
                    "dest: Loop register to change (lr0-lr15)",
                    "step: What to add (lr0-lr15 or cr0-cr15), value before the bundle",
                    "k: Number of bits that are kept, 1 to 9",
                ],
                operation="dest = (old dest + old step) mod 2^k",
                example="INCR_MOD_POW2 lr4 cr2 9;;",
            ),
            "execute_fn": "execute_incr_mod_pow2",
            "computes": {"dest": "(dest + step) mod 2^k"},
            "writes": ["dest"],
            "reads": {"dest": "snapshot"},
        },
        "INC": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "imm", "type": "LrIncDecImmediate"},
            ],
            "doc": InstructionDoc(
                title="Increment Loop Register",
                summary=(
                    "Adds a constant to a loop register, modulo 2^32. "
                    f"{_NEW_VALUE} An INC by 0 is a write like any other."
                ),
                syntax="INC dest imm",
                operands=[
                    "dest: Loop register to change (lr0-lr15)",
                    "imm: Amount, 0 to 255; for more, ADD a config register",
                ],
                operation="dest = (old dest + imm) mod 2^32",
                example="INC lr0 1;;",
            ),
            "execute_fn": "execute_inc",
            "computes": {"dest": "dest + zext8(imm)"},
            "writes": ["dest"],
            "reads": {"dest": "snapshot"},
        },
        "DEC": {
            "operands": [
                {"name": "dest", "type": "LrIdx"},
                {"name": "imm", "type": "LrIncDecImmediate"},
            ],
            "doc": InstructionDoc(
                title="Decrement Loop Register",
                summary=(
                    "Subtracts a constant from a loop register, modulo 2^32. "
                    f"{_NEW_VALUE} A DEC by 0 is a write like any other."
                ),
                syntax="DEC dest imm",
                operands=[
                    "dest: Loop register to change (lr0-lr15)",
                    "imm: Amount, 0 to 255; for more, SUB a config register",
                ],
                operation="dest = (old dest - imm) mod 2^32",
                example="DEC lr0 1;;",
            ),
            "execute_fn": "execute_dec",
            "computes": {"dest": "dest - zext8(imm)"},
            "writes": ["dest"],
            "reads": {"dest": "snapshot"},
        },
        "ADDB": {
            "operands": [
                {"name": "dest", "type": "LrdIdx"},
                {"name": "src_b", "type": "LcrIdx", "read": "snapshot"},
            ],
            "doc": InstructionDoc(
                title="Add to Bytes",
                summary=(
                    "Adds one signed byte, the low one of a register, to each of the eight bytes "
                    "of a register pair. The bytes of the pair are unsigned and stop at 0 and 255. "
                    f"It writes both registers of the pair. {_NEW_VALUE}"
                ),
                syntax="ADDB dest src_b",
                operands=[
                    "dest: Pair to change (lrd0, lrd2, ... lrd14); lrdN is lrN and the next one",
                    "src_b: Register with the addend in its low byte (lr0-lr15 or cr0-cr15), "
                    "value before the bundle",
                ],
                operation=(
                    "b = signed(old src_b & 0xFF)\n"
                    "for each of the 8 bytes d of dest: d = clamp(old d + b, 0, 255)"
                ),
                example="ADDB lrd2 cr2;;",
            ),
            "execute_fn": "execute_addb",
            "computes": {"dest": "bytes(dest) + sext8(src_b)"},
            "writes": ["dest"],
            "reads": {"dest": "snapshot"},
        },
        "ADDBI": {
            "operands": [
                {"name": "dest", "type": "LrdIdx"},
                {"name": "imm", "type": "AddbiImmediate"},
            ],
            "doc": InstructionDoc(
                title="Add Immediate to Bytes",
                summary=(
                    "Adds one signed byte to each of the eight bytes of a register pair. "
                    "The bytes of the pair are unsigned and stop at 0 and 255. "
                    f"It writes both registers of the pair. {_NEW_VALUE}"
                ),
                syntax="ADDBI dest imm",
                operands=[
                    "dest: Pair to change (lrd0, lrd2, ... lrd14); lrdN is lrN and the next one",
                    "imm: Addend, read as -128 to 127: 128 to 255 mean -128 to -1",
                ],
                operation=(
                    "b = sign_extend_8(imm)\n"
                    "for each of the 8 bytes d of dest: d = clamp(old d + b, 0, 255)"
                ),
                example="ADDBI lrd2 8;;",
            ),
            "execute_fn": "execute_addbi",
            "computes": {"dest": "bytes(dest) + sext8(imm)"},
            "writes": ["dest"],
            "reads": {"dest": "snapshot"},
        },
        "NOP": _no_operation(
            "LR",
            "Changes no loop register; before an lr instruction it leaves a sub-slot empty.",
        ),
    },
    # Loads come before the stores of their bundle, so that nothing has written xmem yet.
    "load": {
        "LDR_MULT_REG": {
            "operands": [{"name": "dest", "type": "MultStageReg"}, *_ROW_OPERANDS],
            "doc": InstructionDoc(
                title="Load Register",
                summary=(
                    "Loads a row of xmem, 128 elements, into a register of the multiply stage. "
                    "A mult instruction in the same bundle still sees the old elements. "
                    f"{_ROW_FAULT}"
                ),
                syntax="LDR_MULT_REG dest offset base",
                operands=["dest: Register to fill (r0 or r1)", _OFFSET, _BASE],
                operation="dest = xmem row (offset + base)",
                example="LDR_MULT_REG r0 lr0 cr2;;",
            ),
            "execute_fn": "execute_ldr_mult_reg",
            "accesses": ["read row xmem[offset + base]"],
            "writes": ["dest"],
            "reads": {"xmem": "snapshot"},
        },
        "LDR_CYCLIC_MULT_REG": {
            "operands": [*_ROW_OPERANDS, {"name": "index", "type": "LrIdx", "read": "live"}],
            "doc": InstructionDoc(
                title="Load Cyclic Register",
                summary=(
                    "Loads a row of xmem, 128 elements, into one quarter of r_cyclic; the other "
                    "three quarters keep their elements, and a mult instruction in the same bundle "
                    "still sees the old ones. Faults if the index is not 0, 128, 256 or 384, or if "
                    "the row is 16384 or more."
                ),
                syntax="LDR_CYCLIC_MULT_REG offset base index",
                operands=[
                    _OFFSET,
                    _BASE,
                    "index: First element to fill (lr0-lr15): 0, 128, 256 or 384, all 32 bits; "
                    "this bundle's lr writes count",
                ],
                operation=(
                    "fault unless index is 0, 128, 256 or 384\n"
                    "r_cyclic[index : +128] = xmem row (offset + base)"
                ),
                example="LDR_CYCLIC_MULT_REG lr0 cr2 lr1;;",
            ),
            "execute_fn": "execute_ldr_cyclic_mult_reg",
            "accesses": ["read row xmem[offset + base]", "write 128 r_cyclic[index]"],
            "writes": ["r_cyclic"],
            "reads": {"xmem": "snapshot", "r_cyclic": "snapshot"},
        },
        "LDR_MULT_MASK_REG": {
            "operands": _ROW_OPERANDS,
            "doc": InstructionDoc(
                title="Load Mask Register",
                summary=(
                    "Loads the first 128 bytes of a row of xmem into r_mask: all eight masks of "
                    "128 bits. A mult instruction in the same bundle already uses them, unlike "
                    f"what the other loads bring. {_ROW_FAULT}"
                ),
                syntax="LDR_MULT_MASK_REG offset base",
                operands=[_OFFSET, _BASE],
                operation="r_mask = first 128 bytes of xmem row (offset + base)",
                example="LDR_MULT_MASK_REG lr0 cr2;;",
            ),
            "execute_fn": "execute_ldr_mult_mask_reg",
            "accesses": ["read 128 xmem[offset + base]"],
            "writes": ["r_mask"],
            "reads": {"xmem": "snapshot"},
        },
        "NOP": _no_operation("LOAD", "Loads nothing."),
    },
    "mult": {
        "MULT.RC.VV": {
            "operands": [
                {"name": "rc_idx", "type": "LrIdx", "read": "live"},
                {"name": "ra", "type": "MultStageReg"},
                *_MASK_OPERANDS,
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Multiply Vectors",
                summary=(
                    "Multiplies 128 consecutive elements of r_cyclic, going round at 512, one by "
                    "one by the 128 elements of r0 or r1. Both are those from before the bundle: "
                    "a load beside it comes too late. The mask is the current one."
                ),
                syntax="MULT.RC.VV rc_idx ra mask_offset mask_shift cr_idx",
                operands=[
                    _RC_IDX,
                    "ra: The other factors (r0 or r1), value from before the bundle",
                    _MASK_OFFSET,
                    _MASK_SHIFT,
                    _DSTRUCTURE,
                ],
                operation=(
                    f"{_MASK}"
                    "for i in [0, 128):\n"
                    "    product = old r_cyclic[(rc_idx + i) mod 512] * old ra[i]\n"
                    f"{_MASKED}"
                ),
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.ADD;;",
            ),
            "execute_fn": "execute_mult_rc_vv",
            "windows": ["128 r_cyclic[rc_idx]"],
            "requires": _mult_structure("cr_idx"),
            "writes": ["mult_res"],
            "reads": {"ra": "snapshot", "r_cyclic": "snapshot", "r_mask": "live"},
        },
        "MULT.RC.VE": {
            "operands": [
                {"name": "rc_idx", "type": "LrIdx", "read": "live"},
                {"name": "src", "type": "LcrIdx"},
                *_MASK_OPERANDS,
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Multiply Vector by Element",
                summary=(
                    "Multiplies 128 consecutive elements of r_cyclic, going round at 512, by one "
                    "number: an element of r0 and r1 in a row, if the source is a loop register, "
                    "or the low byte of a config register. The elements are those from before the "
                    "bundle: a load beside it comes too late. The mask is the current one."
                ),
                syntax="MULT.RC.VE rc_idx src mask_offset mask_shift cr_idx",
                operands=[
                    _RC_IDX,
                    "src: Loop register (lr0-lr15) with the number of an element, 0 to 127 in r0 "
                    "and 128 to 255 in r1, modulo 256; or config register (cr0-cr15) whose low "
                    "byte is the factor; this bundle's lr writes count",
                    _MASK_OFFSET,
                    _MASK_SHIFT,
                    _DSTRUCTURE,
                ],
                operation=(
                    f"{_MASK}"
                    "factor = old (r0, r1)[src mod 256] if src is an lr else src & 0xFF\n"
                    "for i in [0, 128):\n"
                    "    product = old r_cyclic[(rc_idx + i) mod 512] * factor\n"
                    f"{_MASKED}"
                ),
                example="INC lr3 1;\nMULT.RC.VE lr0 lr3 0 lr1 cr15;\nACC.ADD;;",
            ),
            "execute_fn": "execute_mult_rc_ve",
            "windows": ["128 r_cyclic[rc_idx]", "1 r[src] if lr"],
            "requires": _mult_structure("cr_idx"),
            "writes": ["mult_res"],
            "reads": {"src": "live", "r_cyclic": "snapshot", "r_mask": "live"},
            "register_reads": {"src": {"lr": {"r0": "snapshot", "r1": "snapshot"}}},
        },
        "MULT.RC.VS": {
            "operands": [
                {"name": "rc_idx", "type": "LrIdx", "read": "live"},
                *_MASK_OPERANDS,
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Square Vector",
                summary=(
                    "Squares 128 consecutive elements of r_cyclic, going round at 512. "
                    "They are those from before the bundle: a load beside it comes too late. "
                    "The mask is the current one."
                ),
                syntax="MULT.RC.VS rc_idx mask_offset mask_shift cr_idx",
                operands=[_RC_IDX, _MASK_OFFSET, _MASK_SHIFT, _DSTRUCTURE],
                operation=(
                    f"{_MASK}"
                    "for i in [0, 128):\n"
                    "    product = old r_cyclic[(rc_idx + i) mod 512] squared\n"
                    f"{_MASKED}"
                ),
                example="MULT.RC.VS lr0 0 lr1 cr15;\nAGG.SUM.FIRST lr2 cr15;;",
            ),
            "execute_fn": "execute_mult_rc_vs",
            "windows": ["128 r_cyclic[rc_idx]"],
            "requires": _mult_structure("cr_idx"),
            "writes": ["mult_res"],
            "reads": {"r_cyclic": "snapshot", "r_mask": "live"},
        },
        "NOP": _no_operation("MULT", "Multiplies nothing and leaves mult_res as it is."),
        "MULT.VE": {
            "operands": [
                {"name": "ra_idx", "type": "LrIdx", "read": "live"},
                {"name": "cr_idx", "type": "CrIdx", "read": "live"},
                *_MASK_OPERANDS,
                {"name": "dstructure_cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Multiply Vector by Config Register",
                summary=(
                    "Multiplies 128 consecutive elements of r0 and r1 in a row, going round at "
                    "256, by the low byte of a config register. The elements are those from before "
                    "the bundle: a load beside it comes too late. The mask is the current one."
                ),
                syntax="MULT.VE ra_idx cr_idx mask_offset mask_shift dstructure_cr_idx",
                operands=[
                    "ra_idx: First element (lr0-lr15), 0 to 127 in r0 and 128 to 255 in r1, modulo "
                    "256; this bundle's lr writes count",
                    "cr_idx: Register whose low byte is the factor (cr0-cr15)",
                    _MASK_OFFSET,
                    _MASK_SHIFT,
                    _MULT_DSTRUCTURE,
                ],
                operation=(
                    f"{_MASK}"
                    "for i in [0, 128):\n"
                    "    product = old (r0, r1)[(ra_idx + i) mod 256] * (cr_idx & 0xFF)\n"
                    f"{_MASKED}"
                ),
                example="MULT.VE lr0 cr3 0 lr1 cr15;\nACC.ADD;;",
            ),
            "execute_fn": "execute_mult_ve",
            "windows": ["128 r[ra_idx]"],
            "requires": _mult_structure("dstructure_cr_idx"),
            "writes": ["mult_res"],
            "reads": {"r0": "snapshot", "r1": "snapshot", "r_mask": "live"},
        },
        "MULT.EE": {
            "operands": [
                {"name": "ra_idx", "type": "LrIdx", "read": "live"},
                {"name": "cr_idx", "type": "CrIdx", "read": "live"},
                *_MASK_OPERANDS,
                {"name": "dstructure_cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Multiply Element by Config Register",
                summary=(
                    "Multiplies one element of r0 and r1 in a row by the low byte of a config "
                    "register and gives all 128 results that product. The element is that from "
                    "before the bundle: a load beside it comes too late. The mask is the current "
                    "one."
                ),
                syntax="MULT.EE ra_idx cr_idx mask_offset mask_shift dstructure_cr_idx",
                operands=[
                    "ra_idx: Number of the element (lr0-lr15), 0 to 127 in r0 and 128 to 255 in "
                    "r1, modulo 256; this bundle's lr writes count",
                    "cr_idx: Register whose low byte is the factor (cr0-cr15)",
                    _MASK_OFFSET,
                    _MASK_SHIFT,
                    _MULT_DSTRUCTURE,
                ],
                operation=(
                    f"{_MASK}"
                    "product = old (r0, r1)[ra_idx mod 256] * (cr_idx & 0xFF)\n"
                    "for i in [0, 128):\n"
                    f"{_MASKED}"
                ),
                example="MULT.EE lr0 cr3 0 lr1 cr15;\nACC.ADD.FIRST;;",
            ),
            "execute_fn": "execute_mult_ee",
            "windows": ["1 r[ra_idx]"],
            "requires": _mult_structure("dstructure_cr_idx"),
            "writes": ["mult_res"],
            "reads": {"r0": "snapshot", "r1": "snapshot", "r_mask": "live"},
        },
    },
    "acc": {
        "ACC.ADD": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulate",
                summary=(
                    "Adds the products, mult_res, to the accumulator r_acc, word by word. "
                    "The products are this bundle's, or those of the last mult instruction if it "
                    "has none. Int32 sums wrap; float32 sums beyond the range become infinity."
                ),
                syntax="ACC.ADD",
                operation="for i in [0, 128): r_acc[i] = old r_acc[i] + mult_res[i]",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.ADD;;",
            ),
            "execute_fn": "execute_acc_add",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "ACC.ADD.FIRST": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulate (First)",
                summary=(
                    "Starts a new sum: r_acc becomes the products, mult_res, whatever it held. "
                    "The products are this bundle's, or those of the last mult instruction if it "
                    "has none."
                ),
                syntax="ACC.ADD.FIRST",
                operation="for i in [0, 128): r_acc[i] = mult_res[i]",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.ADD.FIRST;;",
            ),
            "execute_fn": "execute_acc_add_first",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live"},
        },
        "ACC.MAX": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulator Maximum",
                summary=(
                    "Keeps, word by word, the greater of the accumulator and the product. "
                    "The product wins only if it is strictly greater: a NaN in the accumulator "
                    "stays, a NaN among the products is passed over."
                ),
                syntax="ACC.MAX",
                operation="for i in [0, 128): r_acc[i] = max(old r_acc[i], mult_res[i])",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.MAX;;",
            ),
            "execute_fn": "execute_acc_max",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "ACC.MAX.FIRST": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulator Maximum (First)",
                summary=(
                    "Starts a new maximum: r_acc becomes the products, mult_res, whatever it held."
                ),
                syntax="ACC.MAX.FIRST",
                operation="for i in [0, 128): r_acc[i] = mult_res[i]",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.MAX.FIRST;;",
            ),
            "execute_fn": "execute_acc_max_first",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live"},
        },
        "ACC.SUB": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulator Subtract",
                summary=(
                    "Subtracts the products, mult_res, from the accumulator r_acc, word by word. "
                    "Int32 differences wrap; float32 differences beyond the range become infinity."
                ),
                syntax="ACC.SUB",
                operation="for i in [0, 128): r_acc[i] = old r_acc[i] - mult_res[i]",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.SUB;;",
            ),
            "execute_fn": "execute_acc_sub",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "ACC.SUB.FIRST": {
            "operands": [],
            "doc": InstructionDoc(
                title="Accumulator Subtract (First)",
                summary=(
                    "Starts a new sum with the negative products: r_acc becomes 0 - mult_res, "
                    "whatever it held. A float32 zero of either sign gives +0."
                ),
                syntax="ACC.SUB.FIRST",
                operation="for i in [0, 128): r_acc[i] = 0 - mult_res[i]",
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nACC.SUB.FIRST;;",
            ),
            "execute_fn": "execute_acc_sub_first",
            "writes": ["r_acc"],
            "reads": {"mult_res": "live"},
        },
        "NOP": _no_operation("ACC", "Leaves the accumulator as it is."),
        "ACC.STRIDE": {
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
                    "other words keep their values. "
                    "Faults if the result runs past word 127, or on a reserved stride mode."
                ),
                syntax="ACC.STRIDE elements_in_row horizontal_stride vertical_stride offset",
                operands=[
                    "elements_in_row: Row length: 16, 32 or 64, for 8, 4 or 2 rows",
                    "horizontal_stride: Columns to keep: off all, on even, on_inv odd ones",
                    "vertical_stride: Rows to keep: off all, on even, on_inv odd ones",
                    "offset: Where to start, in units of 32 words (lr0-lr15), modulo 4; this "
                    "bundle's lr writes count",
                ],
                operation=(
                    "rows = mult_res in rows of elements_in_row\n"
                    "rows = rows without the columns that horizontal_stride drops\n"
                    "rows = rows without those that vertical_stride drops\n"
                    "start = (offset mod 4) * 32; n = words left  # 32, 64 or 128\n"
                    "fault if start + n > 128\n"
                    "r_acc[start : start + n] = rows joined"
                ),
                example="MULT.RC.VV lr1 r0 0 lr2 cr15;\nACC.STRIDE 16 on off lr0;;",
            ),
            "execute_fn": "execute_acc_stride",
            "requires": [
                "offset[1:0] in 0 if horizontal_stride off, vertical_stride off",
                "offset[1:0] in 0..2 if horizontal_stride off, vertical_stride on on_inv",
                "offset[1:0] in 0..2 if horizontal_stride on on_inv, vertical_stride off",
                "never if horizontal_stride reserved3",
                "never if vertical_stride reserved3",
            ],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "AGG.SUM.FIRST": {
            "operands": [
                {"name": "dest_slot", "type": "LrIdx", "read": "snapshot"},
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Aggregate Sum (First)",
                summary=(
                    "Adds up the valid words of mult_res and puts the sum into one word of r_acc; "
                    "the others keep their values. "
                    "Int32 sums wrap, float32 ones are summed in double precision and rounded once."
                ),
                syntax="AGG.SUM.FIRST dest_slot cr_idx",
                operands=[_DEST_SLOT, _DSTRUCTURE],
                operation=(
                    "n = min(valid_elements, 128)\n"
                    "r_acc[dest_slot mod 128] = mult_res[0] + ... + mult_res[n - 1]"
                ),
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nAGG.SUM.FIRST lr2 cr15;;",
            ),
            "execute_fn": "execute_agg_sum_first",
            "requires": [*_STRUCTURE],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "AGG.SUM": {
            "operands": [
                {"name": "dest_slot", "type": "LrIdx", "read": "snapshot"},
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Aggregate Sum",
                summary=(
                    "Adds the valid words of mult_res to one word of r_acc; the others keep their "
                    "values. "
                    "Int32 sums wrap, float32 ones are summed in double precision and rounded once."
                ),
                syntax="AGG.SUM dest_slot cr_idx",
                operands=[_DEST_SLOT, _DSTRUCTURE],
                operation=(
                    "n = min(valid_elements, 128); k = dest_slot mod 128\n"
                    "r_acc[k] = old r_acc[k] + mult_res[0] + ... + mult_res[n - 1]"
                ),
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nAGG.SUM lr2 cr15;;",
            ),
            "execute_fn": "execute_agg_sum",
            "requires": [*_STRUCTURE],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "AGG.MAX.FIRST": {
            "operands": [
                {"name": "dest_slot", "type": "LrIdx", "read": "snapshot"},
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Aggregate Maximum (First)",
                summary=(
                    "Puts the greatest of the valid words of mult_res into one word of r_acc; the "
                    "others keep their values. NaNs are passed over. Without a valid word the "
                    "result is the lowest int32 or -infinity."
                ),
                syntax="AGG.MAX.FIRST dest_slot cr_idx",
                operands=[_DEST_SLOT, _DSTRUCTURE],
                operation=(
                    "n = min(valid_elements, 128)\n"
                    "r_acc[dest_slot mod 128] = max(lowest, mult_res[0], ..., mult_res[n - 1])"
                ),
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nAGG.MAX.FIRST lr2 cr15;;",
            ),
            "execute_fn": "execute_agg_max_first",
            "requires": [*_STRUCTURE],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "AGG.MAX": {
            "operands": [
                {"name": "dest_slot", "type": "LrIdx", "read": "snapshot"},
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Aggregate Maximum",
                summary=(
                    "Raises one word of r_acc to the greatest of the valid words of mult_res; the "
                    "others keep their values. NaNs are passed over, a NaN in the word of r_acc "
                    "stays."
                ),
                syntax="AGG.MAX dest_slot cr_idx",
                operands=[_DEST_SLOT, _DSTRUCTURE],
                operation=(
                    "n = min(valid_elements, 128); k = dest_slot mod 128\n"
                    "r_acc[k] = max(old r_acc[k], mult_res[0], ..., mult_res[n - 1])"
                ),
                example="MULT.RC.VV lr0 r0 0 lr1 cr15;\nAGG.MAX lr2 cr15;;",
            ),
            "execute_fn": "execute_agg_max",
            "requires": [*_STRUCTURE],
            "writes": ["r_acc"],
            "reads": {"mult_res": "live", "r_acc": "snapshot"},
        },
        "ACC.RESHAPE": {
            "operands": [
                {"name": "source", "type": "LrdIdx"},
                {"name": "dest", "type": "LrdIdx"},
                {"name": "reshape_mask", "type": "LrOrReshapeMaskImmediate"},
            ],
            "doc": InstructionDoc(
                title="Accumulator Reshape",
                summary=(
                    "Moves up to eight words of mult_res to other places in r_acc, bit by bit; the "
                    "other words of r_acc keep their values. Unlike the other acc instructions it "
                    "reads mult_res from before the bundle: a mult beside it comes too late. "
                    "Faults if the mask is above 8 or an index that takes part is 128 or more."
                ),
                syntax="ACC.RESHAPE source dest reshape_mask",
                operands=[
                    "source: Pair with eight indices into mult_res, a byte each (lrd0, lrd2, ... "
                    "lrd14), value from before the bundle",
                    "dest: Pair with eight indices into r_acc, a byte each (lrd0, lrd2, ... "
                    "lrd14), value from before the bundle",
                    "reshape_mask: Number of index pairs to skip: 0 to 7, or a register "
                    "(lr0-lr7), of which this bundle's writes count",
                ],
                operation=(
                    "fault if reshape_mask > 8\n"
                    "for i in [reshape_mask, 8):\n"
                    "    s = byte i of old source; d = byte i of old dest\n"
                    "    fault if s > 127 or d > 127\n"
                    "    r_acc[d] = old mult_res[s]"
                ),
                example="ACC.RESHAPE lrd0 lrd2 0;;",
            ),
            "execute_fn": "execute_acc_reshape",
            "requires": [
                "reshape_mask in 0..8",
                "bytes(source) from reshape_mask in 0..127",
                "bytes(dest) from reshape_mask in 0..127",
            ],
            "writes": ["r_acc"],
            "reads": {
                "source": "snapshot",
                "dest": "snapshot",
                "reshape_mask": "live",
                "mult_res": "snapshot",
                "r_acc": "snapshot",
            },
        },
    },
    "aaq": {
        "NOP": _no_operation("AAQ", "Leaves post_aaq_reg as it is."),
        "ACTIVATE.QUANTIZE": {
            "operands": [
                {"name": "activation_fn", "type": "ActivationFn"},
                {"name": "cr_idx", "type": "DstructureCrIdx", "read": "live"},
            ],
            "doc": InstructionDoc(
                title="Activate and Quantize",
                summary=(
                    "Applies a function to the valid words of the accumulator, including what this "
                    "bundle's acc just wrote, rounds the results and keeps them in post_aaq_reg; a "
                    "store in the same bundle already sees them. With elements of one byte it "
                    "faults unless they are INT8: results are clamped to -128..127, and the bytes "
                    "behind the valid ones become 0. With elements of 32 bits it writes words, or "
                    "bytes if the host asks for quantized results."
                ),
                syntax="ACTIVATE.QUANTIZE activation_fn cr_idx",
                operands=[
                    "activation_fn: Function that is computed in double precision",
                    _DSTRUCTURE,
                ],
                operation=(
                    "n = min(valid_elements, 128)\n"
                    "for i in [0, n): y = activation_fn(r_acc[i])\n"
                    "bytes: post_aaq_reg[i] = clamp(round(y), -128, 127); 0 for i >= n\n"
                    "words: post_aaq_reg[i] = y as float32, or clamp(round(y)) as int32"
                ),
                example="ACTIVATE.QUANTIZE relu cr15;\nSTR_POST_AAQ_REG lr0 cr2;;",
            ),
            "execute_fn": "execute_activate_quantize",
            "requires": [*_STRUCTURE],
            "traits": ["may-fault"],
            "writes": ["post_aaq_reg"],
            "reads": {"r_acc": "live"},
        },
    },
    "store": {
        "STR_POST_AAQ_REG": {
            "operands": _ROW_OPERANDS,
            "doc": InstructionDoc(
                title="Store Results",
                summary=(
                    "Writes all 512 bytes of post_aaq_reg to xmem from the start of a row on, "
                    "including what this bundle's ACTIVATE.QUANTIZE just wrote. With elements of "
                    f"one byte a row has 128 bytes, so that it fills four rows. {_ROW_FAULT}"
                ),
                syntax="STR_POST_AAQ_REG offset base",
                operands=[_OFFSET, _BASE],
                operation="xmem[start of row (offset + base) : +512] = post_aaq_reg",
                example="ACTIVATE.QUANTIZE relu cr15;\nSTR_POST_AAQ_REG lr0 cr2;;",
            ),
            "execute_fn": "execute_str_post_aaq_reg",
            "accesses": ["write 512 xmem[offset + base]"],
            "writes": ["xmem"],
            "reads": {"post_aaq_reg": "live"},
        },
        "NOP": _no_operation("STORE", "Stores nothing."),
    },
    "acc_store": {
        "STR_ACC_REG": {
            "operands": _ROW_OPERANDS,
            "doc": InstructionDoc(
                title="Store Accumulator",
                summary=(
                    "Writes all 128 words of r_acc, 512 bytes, to xmem from the start of a row on, "
                    "including what this bundle's acc just wrote. The emulator alone has it: the "
                    f"machine stores results through ACTIVATE.QUANTIZE. {_ROW_FAULT}"
                ),
                syntax="STR_ACC_REG offset base",
                operands=[_OFFSET, _BASE],
                operation="xmem[start of row (offset + base) : +512] = r_acc",
                example="ACC.ADD;\nSTR_ACC_REG lr0 cr2;;",
            ),
            "execute_fn": "execute_str_acc_reg",
            "accesses": ["write 512 xmem[offset + base]"],
            "writes": ["xmem"],
            "reads": {"r_acc": "live"},
        },
        "NOP": _no_operation("ACC_STORE", "Stores nothing."),
    },
    "break": {
        "BREAK": {
            "operands": [],
            "doc": InstructionDoc(
                title="Break",
                summary=(
                    "Stops a debugger in front of this bundle, before any of its slots has run; "
                    "resuming runs the bundle without asking again. "
                    "A run without a debugger ignores it at no cost in cycles."
                ),
                syntax="BREAK",
                operation="if debugging: stop before this bundle",
                example="BREAK;\nACC.ADD.FIRST;;",
            ),
            "execute_fn": "execute_break",
            "flow": "break",
        },
        "BREAK.IFEQ": {
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
                syntax="BREAK.IFEQ reg value",
                operands=[
                    "reg: Register to test, all 32 bits (lr0-lr15), value from before the bundle",
                    "value: Number to wait for, 16 bits, read as 0 to 65535 (-1 means 65535)",
                ],
                operation="if debugging and old reg == (value & 0xFFFF): stop before this bundle",
                example="loop:\n    BREAK.IFEQ lr0 10;\n    INC lr0 1;\n    BNE lr0 cr2 loop;;",
            ),
            "execute_fn": "execute_break_ifeq",
            "flow": "break",
        },
        "NOP": _no_operation("BREAK", "Never stops."),
    },
}
