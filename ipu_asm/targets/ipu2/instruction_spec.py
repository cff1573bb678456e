"""The instructions of IPU 2, each described once: slot -> mnemonic -> entry.

The single source of truth about all instructions. An opcode is the position of its entry in its
slot: append to keep the opcodes that exist. The slots stand from the highest bits of the word to
the lowest, which is also the order in which a written `NOP` looks for a free one.

An entry has the keys that `targets/ipu/instruction_spec.py` explains, comes from a block of text as
there, and may have:

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
from ipu_asm.targets.ipu_family.descriptions import Notation

__all__ = ["INSTRUCTION_SPEC", "PSEUDO_INSTRUCTIONS", "InstructionDoc"]

_NOTATION = Notation("""\
{offset:LrIdx@live} Row number (lr0-lr15), unsigned; this bundle's lr writes count
{base:CrIdx@live} Row number (cr0-cr15) that is added to the offset, without wrapping
{rc_idx:LrIdx@live} First element of r_cyclic (lr0-lr15), modulo 512; this bundle's lr writes count
{mask_offset:MultMaskOffsetImmediate} Which of the eight masks of r_mask, 0 to 7
{mask_shift:LrIdx@live} Elements by which the mask moves up, -3 to 3 (lr0-lr15); a negative number
    moves it down, one beyond the range counts as its end
{cr_idx:DstructureCrIdx@live} Register (cr0-cr15) with the data structure: valid elements in bits
    7:0, partition in 12:8, pad mode in 14:13
{dstructure_cr_idx:DstructureCrIdx@live} Register (cr0-cr15) with the data structure: valid elements
    in bits 7:0, partition in 12:8, pad mode in 14:13
{dest_slot:LrIdx@old} Word of r_acc to fill (lr0-lr15), modulo 128; value from before the bundle
{elements_in_row:ElementsInRow} Row length: 16, 32 or 64, for 8, 4 or 2 rows
{horizontal_stride:HorizontalStride} Columns to keep: off all, on even, on_inv odd ones
{reg1:LcrIdx@old} First register (lr0-lr15 or cr0-cr15), value from before the bundle
{reg2:LcrIdx@old} Second register (lr0-lr15 or cr0-cr15), value from before the bundle
{FREE_SLOT} A written NOP takes the first slot of the bundle that is still free, of whatever kind,
    in the order cond, lr, load, mult, acc, aaq, store, acc_store, break; slots that are free at the
    end hold theirs without being asked.
{ROW_FAULT} A row of 16384 or more faults.
{NEW_VALUE} load, mult, acc and the stores of the same bundle see the new value, cond and break the
    old one.
{OLD_ELEMENTS} those from before the bundle: a load beside it comes too late. The mask is the
    current one.
{ROUNDS} Int32 sums wrap, float32 ones are summed in double precision and rounded once.
{OLD} (lr0-lr15 or cr0-cr15), value from before the bundle
{MASK} mask = r_mask[mask_offset] moved by clamp(mask_shift, -3, 3), within each part of 128 /
    partition elements
{PRODUCT_STRUCTURE} requires cr_idx[12:8] in 0 2 4 8 16; requires cr_idx[14:13] in 0..2; requires
    cr_idx[14:13] in 0 if wide int32; requires perhaps cr_idx[14:13] in 0 if wide off
{DSTRUCTURE} requires dstructure_cr_idx[12:8] in 0 2 4 8 16; requires dstructure_cr_idx[14:13] in
    0..2; requires dstructure_cr_idx[14:13] in 0 if wide int32; requires perhaps
    dstructure_cr_idx[14:13] in 0 if wide off
{STRUCTURE} requires cr_idx[12:8] in 0 2 4 8 16; requires cr_idx[14:13] in 0..2
{MASKED} mult_res[i] = product if mask[i] else pad  # pad: zero, +infinity or -infinity
{FACTOR} Register whose low byte is the factor (cr0-cr15)
{WORDS_KEPT} the accumulator's other words keep their values.
""")

_COND = """\
BEQ {reg1} {reg2} {label}
    Branch if Equal | Goes to a label if two registers are equal, else on to the next bundle.
    {OLD_VALUES}: an INC or SET beside it does not count yet.
    = pc = label if old reg1 == old reg2 else pc + 1
    >     BEQ lr0 cr2 end;;
    >     ACC.ADD;;
    > end:
    >     BKPT;;
    - condition reg1 == reg2; flow branch
BNE {reg1} {reg2} {label}
    Branch if Not Equal | Goes to a label if two registers differ, else on to the next bundle.
    {OLD_VALUES}, so a loop with the counter's INC in the same bundle runs once more than one with
    the INC a bundle earlier.
    = pc = label if old reg1 != old reg2 else pc + 1
    > loop:
    >     INC lr0 1;
    >     BNE lr0 cr2 loop;;
    - condition reg1 != reg2; flow branch
BLT {reg1} {reg2} {label}
    Branch if Less Than | Goes to a label if the first register is less than the second, both as
    signed 32-bit numbers, else on to the next bundle. {OLD_VALUES}.
    = pc = label if signed(old reg1) < signed(old reg2) else pc + 1
    > loop:
    >     INC lr0 1;
    >     BLT lr0 cr2 loop;;
    - condition reg1 < reg2; flow branch
BGE {reg1} {reg2} {label}
    Branch if Greater or Equal | Goes to a label unless the first register is less than the second,
    both as signed 32-bit numbers, else on to the next bundle. {OLD_VALUES}.
    = pc = label if signed(old reg1) >= signed(old reg2) else pc + 1
    > loop:
    >     DEC lr0 1;
    >     BGE lr0 cr1 loop;;
    - condition reg1 >= reg2; flow branch
BR {reg:LcrIdx@old}
    Branch Register | Goes to the bundle whose number a register held before the bundle. An address
    of 1024 or more, which any negative value is too, halts the machine.
    reg: Bundle address, all 32 bits {OLD}
    = pc = old reg
    > SET lr0 cr2;;
    > BR lr0;;
    - flow indirect
BKPT
    Breakpoint (Halt) | {ENDS} BREAK.
    = pc = 1024  # halted
    > STR_POST_AAQ_REG lr0 cr2;
    > BKPT;;
    - flow halt
NOP
    No Operation (COND) | Goes on to the next bundle. {FREE_SLOT}
    - nop
"""

_LR = """\
SET {reg:LrIdx} {src:CrIdx@old}
    Set Loop Register | Copies a config register into a loop register. There is no form with a
    number: the host sets cr2 to cr14, INC counts on from there. {NEW_VALUE}
    reg: Loop register to fill (lr0-lr15)
    src: Register to copy (cr0-cr15); cr0 is always 0, cr1 is always 1
    = reg = src
    > SET lr0 cr0;;
    - computes reg = src; writes reg
    - advice src: `SET` copies a config register: start from `cr0`, which is 0, or `cr1`, which is
      1, and `INC` up to 255 at a time
ADD {dest:LrIdx} {src_a:LrIdx@old} {src_b:LcrIdx@old}
    Add Registers | Adds two registers as they were before the bundle, modulo 2^32, whatever the
    other lr instructions do. {NEW_VALUE}
    dest: Loop register for the sum (lr0-lr15); may be a source too
    src_a: First summand (lr0-lr15), value before the bundle
    src_b: Second summand (lr0-lr15 or cr0-cr15), value before the bundle
    = dest = (old src_a + old src_b) mod 2^32
    > ADD lr0 lr1 cr2;;
    - computes dest = src_a + src_b; writes dest; advice src_b: `INC` adds a number from 0 to 255
SUB {dest:LrIdx} {src_a:LrIdx@old} {src_b:LcrIdx@old}
    Subtract Registers | Subtracts the second register from the first, both as they were before the
    bundle, modulo 2^32, whatever the other lr instructions do. {NEW_VALUE}
    dest: Loop register for the difference (lr0-lr15); may be a source too
    src_a: What to subtract from (lr0-lr15), value before the bundle
    src_b: What to subtract (lr0-lr15 or cr0-cr15), value before the bundle
    = dest = (old src_a - old src_b) mod 2^32
    > SUB lr0 lr1 lr2;;
    - computes dest = src_a - src_b; writes dest
    - advice src_b: `DEC` subtracts a number from 0 to 255
INCR_MOD_POW2 {dest:LrIdx} {step:LcrIdx@old} {k:LrModPow2KImmediate}
    Increment Modulo a Power of Two | Adds a register to a loop register and keeps the low k bits:
    an index that goes round at 2, 4, 8, ... or 512. {NEW_VALUE}
    dest: Loop register to change (lr0-lr15)
    step: What to add (lr0-lr15 or cr0-cr15), value before the bundle
    k: Number of bits that are kept, 1 to 9
    = dest = (old dest + old step) mod 2^k
    > INCR_MOD_POW2 lr4 cr2 9;;
    - computes dest = (dest + step) mod 2^k; writes dest; reads old dest
INC {dest:LrIdx} {imm:LrIncDecImmediate}
    Increment Loop Register | Adds a constant to a loop register, modulo 2^32. {NEW_VALUE} An INC by
    0 is a write like any other.
    dest: Loop register to change (lr0-lr15)
    imm: Amount, 0 to 255; for more, ADD a config register
    = dest = (old dest + imm) mod 2^32
    > INC lr0 1;;
    - computes dest = dest + zext8(imm); writes dest; reads old dest
DEC {dest:LrIdx} {imm:LrIncDecImmediate}
    Decrement Loop Register | Subtracts a constant from a loop register, modulo 2^32. {NEW_VALUE} A
    DEC by 0 is a write like any other.
    dest: Loop register to change (lr0-lr15)
    imm: Amount, 0 to 255; for more, SUB a config register
    = dest = (old dest - imm) mod 2^32
    > DEC lr0 1;;
    - computes dest = dest - zext8(imm); writes dest; reads old dest
ADDB {dest:LrdIdx} {src_b:LcrIdx@old}
    Add to Bytes | Adds one signed byte, the low one of a register, to each of the eight bytes of a
    register pair. The bytes of the pair are unsigned and stop at 0 and 255. It writes both
    registers of the pair. {NEW_VALUE}
    dest: Pair to change (lrd0, lrd2, ... lrd14); lrdN is lrN and the next one
    src_b: Register with the addend in its low byte (lr0-lr15 or cr0-cr15), value before the bundle
    = b = signed(old src_b & 0xFF)
    = for each of the 8 bytes d of dest: d = clamp(old d + b, 0, 255)
    > ADDB lrd2 cr2;;
    - computes dest = bytes(dest) + sext8(src_b); writes dest; reads old dest
ADDBI {dest:LrdIdx} {imm:AddbiImmediate}
    Add Immediate to Bytes | Adds one signed byte to each of the eight bytes of a register pair. The
    bytes of the pair are unsigned and stop at 0 and 255. It writes both registers of the pair.
    {NEW_VALUE}
    dest: Pair to change (lrd0, lrd2, ... lrd14); lrdN is lrN and the next one
    imm: Addend, read as -128 to 127: 128 to 255 mean -128 to -1
    = b = sign_extend_8(imm)
    = for each of the 8 bytes d of dest: d = clamp(old d + b, 0, 255)
    > ADDBI lrd2 8;;
    - computes dest = bytes(dest) + sext8(imm); writes dest; reads old dest
NOP
    No Operation (LR) | Changes no loop register; before an lr instruction it leaves a sub-slot
    empty. {FREE_SLOT}
    - nop
"""

_LOAD = """\
LDR_MULT_REG {dest:MultStageReg} {offset} {base}
    Load Register | Loads a row of xmem, 128 elements, into a register of the multiply stage. A mult
    instruction in the same bundle still sees the old elements. {ROW_FAULT}
    dest: Register to fill (r0 or r1)
    = dest = xmem row (offset + base)
    > LDR_MULT_REG r0 lr0 cr2;;
    - accesses read row xmem[offset + base]; writes dest; reads old xmem
LDR_CYCLIC_MULT_REG {offset} {base} {index:LrIdx@live}
    Load Cyclic Register | Loads a row of xmem, 128 elements, into one quarter of r_cyclic; the
    other three quarters keep their elements, and a mult instruction in the same bundle still sees
    the old ones. Faults if the index is not 0, 128, 256 or 384, or if the row is 16384 or more.
    index: First element to fill (lr0-lr15): 0, 128, 256 or 384, all 32 bits; this bundle's lr
        writes count
    = fault unless index is 0, 128, 256 or 384
    = r_cyclic[index : +128] = xmem row (offset + base)
    > LDR_CYCLIC_MULT_REG lr0 cr2 lr1;;
    - accesses read row xmem[offset + base]; accesses write 128 r_cyclic[index]; writes r_cyclic
    - reads old xmem, old r_cyclic
LDR_MULT_MASK_REG {offset} {base}
    Load Mask Register | Loads the first 128 bytes of a row of xmem into r_mask: all eight masks of
    128 bits. A mult instruction in the same bundle already uses them, unlike what the other loads
    bring. {ROW_FAULT}
    = r_mask = first 128 bytes of xmem row (offset + base)
    > LDR_MULT_MASK_REG lr0 cr2;;
    - accesses read 128 xmem[offset + base]; writes r_mask; reads old xmem
NOP
    No Operation (LOAD) | Loads nothing. {FREE_SLOT}
    - nop
"""

_MULT = """\
MULT.RC.VV {rc_idx} {ra:MultStageReg} {mask_offset} {mask_shift} {cr_idx}
    Multiply Vectors | Multiplies 128 consecutive elements of r_cyclic, going round at 512, one by
    one by the 128 elements of r0 or r1. Both are {OLD_ELEMENTS}
    ra: The other factors (r0 or r1), value from before the bundle
    = {MASK}
    = for i in [0, 128):
    =     product = old r_cyclic[(rc_idx + i) mod 512] * old ra[i]
    =     {MASKED}
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.ADD;;
    - windows 128 r_cyclic[rc_idx]; {PRODUCT_STRUCTURE}; writes mult_res
    - reads old ra, old r_cyclic, r_mask
MULT.RC.VE {rc_idx} {src:LcrIdx} {mask_offset} {mask_shift} {cr_idx}
    Multiply Vector by Element | Multiplies 128 consecutive elements of r_cyclic, going round at
    512, by one number: an element of r0 and r1 in a row, if the source is a loop register, or the
    low byte of a config register. The elements are {OLD_ELEMENTS}
    src: Loop register (lr0-lr15) with the number of an element, 0 to 127 in r0 and 128 to 255 in
        r1, modulo 256; or config register (cr0-cr15) whose low byte is the factor; this bundle's lr
        writes count
    = {MASK}
    = factor = old (r0, r1)[src mod 256] if src is an lr else src & 0xFF
    = for i in [0, 128):
    =     product = old r_cyclic[(rc_idx + i) mod 512] * factor
    =     {MASKED}
    > INC lr3 1;
    > MULT.RC.VE lr0 lr3 0 lr1 cr15;
    > ACC.ADD;;
    - windows 128 r_cyclic[rc_idx]; windows 1 r[src] if lr; {PRODUCT_STRUCTURE}; writes mult_res
    - reads src, old r_cyclic, r_mask; register_reads src lr old r0, old r1
MULT.RC.VS {rc_idx} {mask_offset} {mask_shift} {cr_idx}
    Square Vector | Squares 128 consecutive elements of r_cyclic, going round at 512. They are
    {OLD_ELEMENTS}
    = {MASK}
    = for i in [0, 128):
    =     product = old r_cyclic[(rc_idx + i) mod 512] squared
    =     {MASKED}
    > MULT.RC.VS lr0 0 lr1 cr15;
    > AGG.SUM.FIRST lr2 cr15;;
    - windows 128 r_cyclic[rc_idx]; {PRODUCT_STRUCTURE}; writes mult_res; reads old r_cyclic, r_mask
NOP
    No Operation (MULT) | Multiplies nothing and leaves mult_res as it is. {FREE_SLOT}
    - nop
MULT.VE {ra_idx:LrIdx@live} {cr_idx:CrIdx@live} {mask_offset} {mask_shift} {dstructure_cr_idx}
    Multiply Vector by Config Register | Multiplies 128 consecutive elements of r0 and r1 in a row,
    going round at 256, by the low byte of a config register. The elements are {OLD_ELEMENTS}
    ra_idx: First element (lr0-lr15), 0 to 127 in r0 and 128 to 255 in r1, modulo 256; this bundle's
        lr writes count
    cr_idx: {FACTOR}
    = {MASK}
    = for i in [0, 128):
    =     product = old (r0, r1)[(ra_idx + i) mod 256] * (cr_idx & 0xFF)
    =     {MASKED}
    > MULT.VE lr0 cr3 0 lr1 cr15;
    > ACC.ADD;;
    - windows 128 r[ra_idx]; {DSTRUCTURE}; writes mult_res; reads old r0, old r1, r_mask
MULT.EE {ra_idx:LrIdx@live} {cr_idx:CrIdx@live} {mask_offset} {mask_shift} {dstructure_cr_idx}
    Multiply Element by Config Register | Multiplies one element of r0 and r1 in a row by the low
    byte of a config register and gives all 128 results that product. The element is that from
    before the bundle: a load beside it comes too late. The mask is the current one.
    ra_idx: Number of the element (lr0-lr15), 0 to 127 in r0 and 128 to 255 in r1, modulo 256; this
        bundle's lr writes count
    cr_idx: {FACTOR}
    = {MASK}
    = product = old (r0, r1)[ra_idx mod 256] * (cr_idx & 0xFF)
    = for i in [0, 128):
    =     {MASKED}
    > MULT.EE lr0 cr3 0 lr1 cr15;
    > ACC.ADD.FIRST;;
    - windows 1 r[ra_idx]; {DSTRUCTURE}; writes mult_res; reads old r0, old r1, r_mask
"""

_ACC = """\
ACC.ADD
    Accumulate | Adds the products, mult_res, to the accumulator r_acc, word by word. {PRODUCTS}
    Int32 sums wrap; float32 sums beyond the range become infinity.
    = for i in [0, 128): r_acc[i] = old r_acc[i] + mult_res[i]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.ADD;;
    - writes r_acc; reads mult_res, old r_acc
ACC.ADD.FIRST
    Accumulate (First) | Starts a new sum: r_acc becomes the products, mult_res, whatever it held.
    {PRODUCTS}
    = for i in [0, 128): r_acc[i] = mult_res[i]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.ADD.FIRST;;
    - writes r_acc; reads mult_res
ACC.MAX
    Accumulator Maximum | Keeps, word by word, the greater of the accumulator and the product. The
    product wins only if it is strictly greater: a NaN in the accumulator stays, a NaN among the
    products is passed over.
    = for i in [0, 128): r_acc[i] = max(old r_acc[i], mult_res[i])
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.MAX;;
    - writes r_acc; reads mult_res, old r_acc
ACC.MAX.FIRST
    Accumulator Maximum (First) | Starts a new maximum: r_acc becomes the products, mult_res,
    whatever it held.
    = for i in [0, 128): r_acc[i] = mult_res[i]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.MAX.FIRST;;
    - writes r_acc; reads mult_res
ACC.SUB
    Accumulator Subtract | Subtracts the products, mult_res, from the accumulator r_acc, word by
    word. Int32 differences wrap; float32 differences beyond the range become infinity.
    = for i in [0, 128): r_acc[i] = old r_acc[i] - mult_res[i]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.SUB;;
    - writes r_acc; reads mult_res, old r_acc
ACC.SUB.FIRST
    Accumulator Subtract (First) | Starts a new sum with the negative products: r_acc becomes 0 -
    mult_res, whatever it held. A float32 zero of either sign gives +0.
    = for i in [0, 128): r_acc[i] = 0 - mult_res[i]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > ACC.SUB.FIRST;;
    - writes r_acc; reads mult_res
NOP
    No Operation (ACC) | Leaves the accumulator as it is. {FREE_SLOT}
    - nop
ACC.STRIDE {elements_in_row} {horizontal_stride} {vertical_stride} {offset}
    Accumulator Stride | Cuts the 128 products into rows, drops every other column and row as told,
    and puts what remains into the accumulator without adding; {WORDS_KEPT} Faults if the result
    runs past word 127, or on a reserved stride mode.
    offset: Where to start, in units of 32 words (lr0-lr15), modulo 4; this bundle's lr writes count
    = rows = mult_res in rows of elements_in_row
    = rows = rows without the columns that horizontal_stride drops
    = rows = rows without those that vertical_stride drops
    = start = (offset mod 4) * 32; n = words left  # 32, 64 or 128
    = fault if start + n > 128
    = r_acc[start : start + n] = rows joined
    > MULT.RC.VV lr1 r0 0 lr2 cr15;
    > ACC.STRIDE 16 on off lr0;;
    - requires offset[1:0] in 0 if horizontal_stride off, vertical_stride off
    - requires offset[1:0] in 0..2 if horizontal_stride off, vertical_stride on on_inv
    - requires offset[1:0] in 0..2 if horizontal_stride on on_inv, vertical_stride off
    - requires never if horizontal_stride reserved3; requires never if vertical_stride reserved3
    - writes r_acc; reads mult_res, old r_acc
AGG.SUM.FIRST {dest_slot} {cr_idx}
    Aggregate Sum (First) | Adds up the valid words of mult_res and puts the sum into one word of
    r_acc; the others keep their values. {ROUNDS}
    = n = min(valid_elements, 128)
    = r_acc[dest_slot mod 128] = mult_res[0] + ... + mult_res[n - 1]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > AGG.SUM.FIRST lr2 cr15;;
    - {STRUCTURE}; writes r_acc; reads mult_res, old r_acc
AGG.SUM {dest_slot} {cr_idx}
    Aggregate Sum | Adds the valid words of mult_res to one word of r_acc; the others keep their
    values. {ROUNDS}
    = n = min(valid_elements, 128); k = dest_slot mod 128
    = r_acc[k] = old r_acc[k] + mult_res[0] + ... + mult_res[n - 1]
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > AGG.SUM lr2 cr15;;
    - {STRUCTURE}; writes r_acc; reads mult_res, old r_acc
AGG.MAX.FIRST {dest_slot} {cr_idx}
    Aggregate Maximum (First) | Puts the greatest of the valid words of mult_res into one word of
    r_acc; the others keep their values. NaNs are passed over. Without a valid word the result is
    the lowest int32 or -infinity.
    = n = min(valid_elements, 128)
    = r_acc[dest_slot mod 128] = max(lowest, mult_res[0], ..., mult_res[n - 1])
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > AGG.MAX.FIRST lr2 cr15;;
    - {STRUCTURE}; writes r_acc; reads mult_res, old r_acc
AGG.MAX {dest_slot} {cr_idx}
    Aggregate Maximum | Raises one word of r_acc to the greatest of the valid words of mult_res; the
    others keep their values. NaNs are passed over, a NaN in the word of r_acc stays.
    = n = min(valid_elements, 128); k = dest_slot mod 128
    = r_acc[k] = max(old r_acc[k], mult_res[0], ..., mult_res[n - 1])
    > MULT.RC.VV lr0 r0 0 lr1 cr15;
    > AGG.MAX lr2 cr15;;
    - {STRUCTURE}; writes r_acc; reads mult_res, old r_acc
ACC.RESHAPE {source:LrdIdx} {dest:LrdIdx} {reshape_mask:LrOrReshapeMaskImmediate}
    Accumulator Reshape | Moves up to eight words of mult_res to other places in r_acc, bit by bit;
    the other words of r_acc keep their values. Unlike the other acc instructions it reads mult_res
    from before the bundle: a mult beside it comes too late. Faults if the mask is above 8 or an
    index that takes part is 128 or more.
    source: Pair with eight indices into mult_res, a byte each (lrd0, lrd2, ... lrd14), value from
        before the bundle
    dest: Pair with eight indices into r_acc, a byte each (lrd0, lrd2, ... lrd14), value from before
        the bundle
    reshape_mask: Number of index pairs to skip: 0 to 7, or a register (lr0-lr7), of which this
        bundle's writes count
    = fault if reshape_mask > 8
    = for i in [reshape_mask, 8):
    =     s = byte i of old source; d = byte i of old dest
    =     fault if s > 127 or d > 127
    =     r_acc[d] = old mult_res[s]
    > ACC.RESHAPE lrd0 lrd2 0;;
    - requires reshape_mask in 0..8; requires bytes(source) from reshape_mask in 0..127
    - requires bytes(dest) from reshape_mask in 0..127; writes r_acc
    - reads old source, old dest, reshape_mask, old mult_res, old r_acc
"""

_AAQ = """\
NOP
    No Operation (AAQ) | Leaves post_aaq_reg as it is. {FREE_SLOT}
    - nop
ACTIVATE.QUANTIZE {activation_fn:ActivationFn} {cr_idx}
    Activate and Quantize | Applies a function to the valid words of the accumulator, including what
    this bundle's acc just wrote, rounds the results and keeps them in post_aaq_reg; a store in the
    same bundle already sees them. With elements of one byte it faults unless they are INT8: results
    are clamped to -128..127, and the bytes after the valid ones become 0. With elements of 32 bits
    it writes words, or bytes if the host asks for quantized results.
    activation_fn: Function that is computed in double precision
    = n = min(valid_elements, 128)
    = for i in [0, n): y = activation_fn(r_acc[i])
    = bytes: post_aaq_reg[i] = clamp(round(y), -128, 127); 0 for i >= n
    = words: post_aaq_reg[i] = y as float32, or clamp(round(y)) as int32
    > ACTIVATE.QUANTIZE relu cr15;
    > STR_POST_AAQ_REG lr0 cr2;;
    - {STRUCTURE}; traits may-fault; writes post_aaq_reg; reads r_acc
"""

_STORE = """\
STR_POST_AAQ_REG {offset} {base}
    Store Results | Writes all 512 bytes of post_aaq_reg to xmem from the start of a row on,
    including what this bundle's ACTIVATE.QUANTIZE just wrote. With elements of one byte a row has
    128 bytes, so that it fills four rows. {ROW_FAULT}
    = xmem[start of row (offset + base) : +512] = post_aaq_reg
    > ACTIVATE.QUANTIZE relu cr15;
    > STR_POST_AAQ_REG lr0 cr2;;
    - accesses write 512 xmem[offset + base]; writes xmem; reads post_aaq_reg
NOP
    No Operation (STORE) | Stores nothing. {FREE_SLOT}
    - nop
"""

_ACC_STORE = """\
STR_ACC_REG {offset} {base}
    Store Accumulator | Writes all 128 words of r_acc, 512 bytes, to xmem from the start of a row
    on, including what this bundle's acc just wrote. The emulator alone has it: the machine stores
    results through ACTIVATE.QUANTIZE. {ROW_FAULT}
    = xmem[start of row (offset + base) : +512] = r_acc
    > ACC.ADD;
    > STR_ACC_REG lr0 cr2;;
    - accesses write 512 xmem[offset + base]; writes xmem; reads r_acc
NOP
    No Operation (ACC_STORE) | Stores nothing. {FREE_SLOT}
    - nop
"""

_BREAK = """\
BREAK
    Break | {STOPS}
    = if debugging: stop before this bundle
    > BREAK;
    > ACC.ADD.FIRST;;
    - flow break
BREAK.IFEQ {reg:LrIdx@old} {value:BreakImmediate}
    Break if Equal | {STOPS_IF}
    reg: {STOPPED}
    value: {STOP_VALUE}
    = if debugging and old reg == (value & 0xFFFF): stop before this bundle
    > loop:
    >     BREAK.IFEQ lr0 10;
    >     INC lr0 1;
    >     BNE lr0 cr2 loop;;
    - flow break
NOP
    No Operation (BREAK) | Never stops. {FREE_SLOT}
    - nop
"""

_PSEUDO = """\
BGT {reg1} {reg2} {label}
    Branch if Greater Than | Goes to a label if the first register is greater than the second, both
    as signed 32-bit numbers and from before the bundle, else on to the next bundle.
    reg1: The greater one {OLD}
    reg2: The smaller one {OLD}
    = pc = label if signed(old reg1) > signed(old reg2) else pc + 1
    > loop:
    >     DEC lr0 1;
    >     BGT lr0 cr0 loop;;
    - becomes BLT reg2 reg1 label
BLE {reg1} {reg2} {label}
    Branch if Less or Equal | Goes to a label unless the first register is greater than the second,
    both as signed 32-bit numbers and from before the bundle, else on to the next bundle.
    = pc = label if signed(old reg1) <= signed(old reg2) else pc + 1
    > loop:
    >     INC lr0 1;
    >     BLE lr0 cr2 loop;;
    - becomes BGE reg2 reg1 label
BZ {reg:LcrIdx@old} {label}
    Branch if Zero | Goes to a label if a register was 0 before the bundle, else on to the next
    bundle; it is compared with cr0, which is always 0.
    reg: Register to test {OLD}
    = pc = label if old reg == 0 else pc + 1
    >     BZ lr3 zero;;
    >     ACC.ADD;;
    > zero:
    >     BKPT;;
    - becomes BEQ reg CR0 label
BNZ {reg:LcrIdx@old} {label}
    Branch if Not Zero | Goes to a label unless a register was 0 before the bundle, else on to the
    next bundle; it is compared with cr0, which is always 0.
    reg: Register to test {OLD}
    = pc = label if old reg != 0 else pc + 1
    > loop:
    >     DEC lr3 1;
    >     BNZ lr3 loop;;
    - becomes BNE reg CR0 label
B {label}
    Unconditional Branch | Always goes to a label, after the other slots of the bundle have run: it
    compares cr0 with itself.
    = pc = label
    >     B start;;
    >     ACC.ADD;;
    > start:
    >     BKPT;;
    - becomes BEQ CR0 CR0 label; flow jump
"""

INSTRUCTION_SPEC: dict[str, dict[str, dict[str, Any]]] = {
    "cond": {**_NOTATION.entries(_COND)},
    "lr": {**_NOTATION.entries(_LR)},
    "load": {**_NOTATION.entries(_LOAD)},
    "mult": {**_NOTATION.entries(_MULT)},
    "acc": {**_NOTATION.entries(_ACC)},
    "aaq": {**_NOTATION.entries(_AAQ)},
    "store": {**_NOTATION.entries(_STORE)},
    "acc_store": {**_NOTATION.entries(_ACC_STORE)},
    "break": {**_NOTATION.entries(_BREAK)},
}

PSEUDO_INSTRUCTIONS = _NOTATION.pseudo_entries(_PSEUDO)
