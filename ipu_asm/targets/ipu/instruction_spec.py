"""The IPU's instructions, each described once: slot -> mnemonic -> entry.

The single source of truth about all instructions. An opcode is the position of its entry in its
slot: append to keep the opcodes that exist. Names, operands and operations come from the "IPU
Assembly Instruction Reference", the shape of an entry from "Adding Instructions"; where the two
contradict themselves, the entry states what is executed.

Entries come from blocks of text in the notation of `ipu_family/descriptions.py`, and may as well be
added to their slot in `INSTRUCTION_SPEC` as the dictionaries that the notation stands for. An entry
has:

operands
    `name`, `type` and, where the handler receives a value instead of an index, `read`: "snapshot"
    (the value from before the bundle) or "live" (what the slots before it in the order
    lr, xmem, mult, acc, aaq, cond have just written counts).
doc
    The text of hover, completion and reference. Each of its `operands` lines is "name: text".
execute_fn
    The method of `Ipu` that executes it. A block has none: `acc.add_aaq` is `execute_acc_add_aaq`.

and, only where they apply:

writes
    What it changes: names of destination operands, and of state (mult_res, r_acc, r_cyclic,
    r_mask, aaq_result, xmem). The program counter is not listed.
reads
    What it reads beyond the operands' own `read`: operands that are passed as an index, and state.
    State of which it overwrites a part and keeps the rest is read as well.
accesses
    Bytes of memory, or of a vector register, that it loads or stores, and where they begin.
windows
    Elements of a vector register that it reads from an operand on, round its end or "clipped".
requires
    Values of a register without which it faults.
computes, condition
    What a loop register becomes, and when a branch is taken: what the control run executes.
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
from ipu_asm.targets.ipu_family.descriptions import Notation

__all__ = ["INSTRUCTION_SPEC", "InstructionDoc"]

_NOTATION = Notation("""\
{offset:LrIdx@live} Byte offset (lr0-lr15), unsigned; this bundle's lr writes count
{base:CrIdx@live} Byte address (cr0-cr15) the offset is added to, without wrapping
{cyclic_offset:LrIdx@live} First element of r_cyclic (lr0-lr15), modulo 512
{mask_offset:LrIdx@live} Mask number (lr0-lr15), modulo 8; a set bit zeroes its element
{mask_shift:LrIdx@live} Elements to move the mask up (lr0-lr15); negative moves it down
{elements_in_row:ElementsInRow} Row length, 8, 16, 32 or 64 elements, for 16, 8, 4 or 2 rows
{horizontal_stride:HorizontalStride} Columns to keep: off all, on even, on_inv odd ones; the _expand
    forms also fill each row with zeros to its old length
{aaq_rf_idx:AaqRegIdx} aaq register (aaq0-aaq3) to add, as int32 in INT8 mode and as float32
    otherwise; value from before the bundle, not this bundle's agg
{reg1:LrIdx@old} First loop register (lr0-lr15), value from before the bundle
{reg2:LrIdx@old} Second loop register (lr0-lr15), value from before the bundle
{test_reg:LrIdx@old} The one in question (lr0-lr15), value from before the bundle
{PAST_END} A range that runs past the end of the 2 MiB faults.
{FRESH} All sources include what this bundle has just loaded or computed.
{TYPES} Faults unless cr15 names an element type (0, 1 or 2).
{MASK} mask = r_mask[mask_offset mod 8] shifted by mask_shift  # zeros come in
{WRITTEN_TWICE} Faults if the other lr instruction writes the same register.
""")

_BREAK = """\
break
    Break | {STOPS}
    = if debugging: stop before this bundle
    > break;
    > acc.first;;
    - flow break
break.ifeq {reg:LrIdx@old} {value:BreakImmediate}
    Break if Equal | {STOPS_IF}
    reg: {STOPPED}
    value: {STOP_VALUE}
    = if debugging and old reg == (value & 0xFFFF): stop before this bundle
    > loop:
    >     break.ifeq lr0 10;
    >     incr lr0 1;
    >     bne lr0 lr1 loop;;
    - flow break
break_nop
    No Operation (BREAK) | Never stops. A bundle that names no break instruction holds this one.
    - nop
"""

_XMEM = """\
str_acc_reg {offset} {base}
    Store Accumulator | Writes all 128 words of r_acc to xmem, 512 bytes in little-endian order. The
    words are those from before the bundle: the acc instruction beside it comes too late. {PAST_END}
    = xmem[offset + base : +512] = old r_acc
    > acc;;
    > str_acc_reg lr0 cr0;
    > incr lr0 512;;
    - accesses write 512 xmem[offset + base]; writes xmem; reads old r_acc
ldr_mult_reg {dest:MultStageReg} {offset} {base}
    Load Register | Loads 128 bytes from xmem, at any alignment, into a register of the multiply
    stage. A mult instruction in the same bundle already sees them. {PAST_END}
    dest: Register to fill (r0, r1 or mem_bypass), all 128 bytes
    = dest = xmem[offset + base : +128]
    > set lr0 0x1000;
    > ldr_mult_reg r0 lr0 cr0;;
    - accesses read 128 xmem[offset + base]; writes dest; reads xmem
ldr_cyclic_mult_reg {offset} {base} {index:LrIdx@live}
    Load Cyclic Register | Loads 128 bytes from xmem into one quarter of r_cyclic; the other three
    quarters keep their bytes, and a mult instruction in the same bundle already sees the new ones.
    Faults if the index is not a multiple of 128 or the range runs past the end of the 2 MiB.
    index: First byte of r_cyclic to fill (lr0-lr15), modulo 512; must be n * 128
    = fault if index mod 128 != 0
    = r_cyclic[index mod 512 : +128] = xmem[offset + base : +128]
    > set lr1 128;
    > ldr_cyclic_mult_reg lr0 cr0 lr1;;
    - accesses read 128 xmem[offset + base]; accesses write 128 r_cyclic[index]; writes r_cyclic
    - reads xmem, old r_cyclic
ldr_mult_mask_reg {offset} {base}
    Load Mask Register | Loads 128 bytes from xmem, at any alignment, into r_mask: all eight masks
    of 128 bits at once. A mult instruction in the same bundle already uses them. {PAST_END}
    = r_mask = xmem[offset + base : +128]
    > set lr0 0;
    > ldr_mult_mask_reg lr0 cr2;;
    - accesses read 128 xmem[offset + base]; writes r_mask; reads xmem
xmem_nop
    No Operation (XMEM) | Moves nothing. A bundle that names no xmem instruction holds this one.
    - nop
xmem.store_aaq_result {offset} {base}
    Store AAQ Result | Writes the 128 quantized bytes of aaq_result to xmem. They are those from
    before the bundle: what an aaq instruction beside it computes is there to store one bundle
    later. {PAST_END}
    = xmem[offset + base : +128] = old aaq_result
    > aaq;;
    > xmem.store_aaq_result lr0 cr0;;
    - accesses write 128 xmem[offset + base]; writes xmem; reads old aaq_result
"""

_MULT = """\
mult.ee {ra:MultStageReg@live} {cyclic_offset} {mask_offset} {mask_shift}
    Element-wise Multiply | Multiplies the 128 elements of a register, one by one, by 128
    consecutive elements of r_cyclic, going round at 512. {FRESH} {TYPES}
    ra: The 128 multiplicands (r0, r1 or mem_bypass); this bundle's load counts
    cyclic_offset: Element of r_cyclic for ra[0] (lr0-lr15), modulo 512
    = {MASK}
    = for i in [0, 128):
    =     element = r_cyclic[(cyclic_offset + i) mod 512]
    =     mult_res[i] = 0 if mask[i] else ra[i] * element
    > ldr_mult_reg r0 lr3 cr0;
    > mult.ee r0 lr0 lr1 lr2;
    > acc;;
    - requires cr15 in 0..2; windows 128 r_cyclic[cyclic_offset]; writes mult_res
    - reads r_cyclic, r_mask
mult.ev {ra:MultStageReg@live} {fixed_cyclic_idx:LrIdx@live} {mask_offset} {mask_shift}
    Element-Cyclic Multiply (Deprecated) | Multiplies each of the 128 elements of a register by one
    and the same element of r_cyclic. {FRESH} {TYPES}
    ra: The 128 multiplicands (r0, r1 or mem_bypass); this bundle's load counts
    fixed_cyclic_idx: Element of r_cyclic to use (lr0-lr15), modulo 512
    = {MASK}
    = for i in [0, 128):
    =     element = r_cyclic[fixed_cyclic_idx mod 512]
    =     mult_res[i] = 0 if mask[i] else ra[i] * element
    > mult.ev r0 lr0 lr1 lr2;
    > acc;;
    - requires cr15 in 0..2; windows 1 r_cyclic[fixed_cyclic_idx]; writes mult_res
    - reads r_cyclic, r_mask
    - deprecated swap the sources and use `mult.ve`: load the scalars, 128 at a time, into `r0` or
      `r1` and the vector into `r_cyclic`
mult.ve {ra:MultStageReg@live} {cyclic_offset} {mask_offset} {mask_shift} {fixed_ra_idx:LrIdx@live}
    Vector-Element Multiply | Multiplies 128 consecutive elements of r_cyclic, going round at 512,
    by one element picked from a register. {FRESH} {TYPES}
    ra: Where the scalar is (r0, r1 or mem_bypass); this bundle's load counts
    fixed_ra_idx: Element of ra to use (lr0-lr15), modulo 128
    = {MASK}
    = for i in [0, 128):
    =     element = r_cyclic[(cyclic_offset + i) mod 512]
    =     mult_res[i] = 0 if mask[i] else ra[fixed_ra_idx mod 128] * element
    > incr lr3 1;
    > mult.ve r0 lr0 lr1 lr2 lr3;
    > acc;;
    - requires cr15 in 0..2; windows 128 r_cyclic[cyclic_offset]; writes mult_res
    - reads r_cyclic, r_mask
mult_nop
    No Operation (MULT) | Multiplies nothing and leaves mult_res as it is, so an acc instruction
    that follows uses the previous products again. A bundle that names no mult instruction holds
    this one.
    - nop
mult.ve.cr {cyclic_offset} {mask_offset} {mask_shift} {cr_idx:CrIdx}
    Vector-Element Multiply (CR scalar) | Multiplies 128 consecutive elements of r_cyclic by the low
    byte of a cr register. It does not go round at 512: every element past the end counts as the
    number one of the element type. {TYPES}
    cyclic_offset: First element of r_cyclic (lr0-lr15), unsigned, unwrapped (512 or more, or
        negative: all ones); this bundle's lr writes count
    cr_idx: Register whose low byte is the scalar (cr0-cr15), the rest ignored
    = {MASK}
    = for i in [0, 128):
    =     k = cyclic_offset + i
    =     element = r_cyclic[k] if k < 512 else one  # 0x01 int8, 0x38 e4m3, 0x3C e5m2
    =     mult_res[i] = 0 if mask[i] else (cr[cr_idx] & 0xFF) * element
    > mult.ve.cr lr0 lr15 lr15 cr3;
    > acc;;
    - requires cr15 in 0..2; windows 128 r_cyclic[cyclic_offset] clipped; writes mult_res
    - reads cr_idx, r_cyclic, r_mask
mult.ve.aaq {cyclic_offset} {mask_offset} {mask_shift} {aaq_rf_idx}
    Vector-Element Multiply (AAQ scalar) | Multiplies 128 consecutive elements of r_cyclic by the
    low byte an aaq register had before the bundle, not the one this bundle's agg writes. It does
    not go round at 512: every element past the end counts as the number one of the element type.
    {TYPES}
    cyclic_offset: First element of r_cyclic (lr0-lr15), unsigned, unwrapped (512 or more, or
        negative: all ones); this bundle's lr writes count
    aaq_rf_idx: Register whose low byte is the scalar (aaq0-aaq3), old value
    = {MASK}
    = for i in [0, 128):
    =     k = cyclic_offset + i
    =     element = r_cyclic[k] if k < 512 else one  # 0x01 int8, 0x38 e4m3, 0x3C e5m2
    =     mult_res[i] = 0 if mask[i] else (old aaq[aaq_rf_idx] & 0xFF) * element
    > agg max value cr0 aaq1;;
    > mult.ve.aaq lr0 lr15 lr15 aaq1;
    > acc.first;;
    - requires cr15 in 0..2; windows 128 r_cyclic[cyclic_offset] clipped; writes mult_res
    - reads old aaq_rf_idx, r_cyclic, r_mask
"""

_ACC = """\
acc
    Accumulate | Adds the products, mult_res, to the accumulator r_acc, element by element.
    {PRODUCTS} Int32 sums wrap; float32 sums beyond the range become infinity.
    = for i in [0, 128): r_acc[i] = old r_acc[i] + mult_res[i]
    > mult.ee r0 lr0 lr1 lr2;
    > acc;;
    - writes r_acc; reads mult_res, old r_acc
acc.first
    Accumulate First | Starts a new sum: r_acc becomes the products, mult_res, whatever it held.
    {PRODUCTS}
    = for i in [0, 128): r_acc[i] = mult_res[i]
    > mult.ee r0 lr0 lr1 lr2;
    > acc.first;;
    - writes r_acc; reads mult_res
reset_acc
    Reset Accumulator | Sets all 128 words of the accumulator to zero. The products of this bundle
    are not added; str_acc_reg beside it still stores the words from before.
    = for i in [0, 128): r_acc[i] = 0
    - writes r_acc
acc_nop
    No Operation (ACC) | Leaves the accumulator as it is. A bundle that names no acc instruction
    holds this one.
    - nop
acc.add_aaq {aaq_rf_idx}
    Accumulate and Add AAQ | Adds the products and one aaq register, the same for all 128 elements,
    to the accumulator. Int32 sums wrap; a float32 sum is rounded once, at the end.
    = for i in [0, 128):
    =     r_acc[i] = old r_acc[i] + mult_res[i] + old aaq[aaq_rf_idx]
    > mult.ee r0 lr0 lr1 lr2;
    > acc.add_aaq aaq0;;
    - writes r_acc; reads old aaq_rf_idx, mult_res, old r_acc
acc.add_aaq.first {aaq_rf_idx}
    Accumulate and Add AAQ (First) | Starts a new sum with a bias: the accumulator becomes the
    products plus one aaq register, the same for all 128 elements, whatever it held. Int32 sums
    wrap; a float32 sum is rounded once.
    = for i in [0, 128): r_acc[i] = mult_res[i] + old aaq[aaq_rf_idx]
    > mult.ee r0 lr0 lr1 lr2;
    > acc.add_aaq.first aaq0;;
    - writes r_acc; reads old aaq_rf_idx, mult_res
acc.max {aaq_rf_idx}
    Accumulator Max | Keeps, element by element, the greatest of the accumulator, the product and
    one aaq register, as int32 in INT8 mode and as float32 otherwise. A later one of the three wins
    only if strictly greater: a NaN in the accumulator stays, a NaN in the others is passed over.
    aaq_rf_idx: What to compare with (aaq0-aaq3); this bundle's agg is too late
    = for i in [0, 128):
    =     r_acc[i] = max(old r_acc[i], mult_res[i], old aaq[aaq_rf_idx])
    > mult.ee r0 lr0 lr1 lr2;
    > acc.max aaq0;;
    - writes r_acc; reads old aaq_rf_idx, mult_res, old r_acc
acc.max.first {aaq_rf_idx}
    Accumulator Max (First) | Starts a new maximum: the accumulator becomes, element by element, the
    greater of the product and one aaq register. What it held is left out, not taken as zero, so
    results may be negative. The aaq register wins only if strictly greater.
    aaq_rf_idx: What to compare with (aaq0-aaq3); this bundle's agg is too late
    = for i in [0, 128): r_acc[i] = max(mult_res[i], old aaq[aaq_rf_idx])
    > mult.ee r0 lr0 lr1 lr2;
    > acc.max.first aaq0;;
    - writes r_acc; reads old aaq_rf_idx, mult_res
acc.stride {elements_in_row} {horizontal_stride} {vertical_stride} {offset}
    Accumulator Stride | Cuts the 128 products into rows, drops every other column and row as told,
    and puts what remains into the accumulator without adding; the accumulator's other elements keep
    their values. Faults if the result runs past element 127, or on a reserved stride mode.
    offset: Where to start, in units of 32 elements (lr0-lr15), modulo 4; live
    = rows = mult_res in rows of elements_in_row
    = rows = rows without the columns that horizontal_stride drops
    = if expand: each row += zeros up to elements_in_row
    = rows = rows without those that vertical_stride drops
    = start = (offset mod 4) * 32; n = elements left  # 32, 64 or 128
    = fault if start + n > 128
    = r_acc[start : start + n] = rows joined
    > set lr0 2;
    > mult.ee r0 lr1 lr2 lr3;
    > acc.stride 16 on off lr0;;
    - requires offset[1:0] in 0 if horizontal_stride off on_expand on_inv_expand, vertical_stride
      off
    - requires offset[1:0] in 0..2 if horizontal_stride off on_expand on_inv_expand, vertical_stride
      on on_inv
    - requires offset[1:0] in 0..2 if horizontal_stride on on_inv, vertical_stride off
    - requires never if horizontal_stride reserved5 reserved6 reserved7; writes r_acc
    - reads mult_res, old r_acc
"""

_AAQ = """\
aaq_nop
    No Operation (AAQ) | Leaves the aaq registers and aaq_result as they are. A bundle that names no
    aaq instruction holds this one.
    - nop
agg {agg_mode:AggMode} {post_fn:PostFn} {cr_idx:CrIdx} {aaq_rf_idx}
    Accumulator Aggregate | Reduces the accumulator, including what this bundle's acc just wrote, to
    one number, applies a function to it and stores it in an aaq register; the mult and acc of this
    bundle still see that register's old value. In INT8 mode value and value_cr fault if the result
    does not fit int32, while inv and inv_sqrt store the bits of a float32.
    agg_mode: sum of the 128 words, or max of them and the old destination
    post_fn: value (as it is), value_cr (times a cr register), inv (1/v, 0 for 0) or inv_sqrt
        (1/sqrt(v), 0 unless v > 0)
    cr_idx: What value_cr multiplies by (cr0-cr15), int32 in INT8 mode, else float32; the other
        functions ignore it
    aaq_rf_idx: Where the result goes (aaq0-aaq3); max reads its old value too
    = sum:      v = r_acc[0] + ... + r_acc[127]  # not rounded, not wrapped
    = max:      v = max(r_acc[0], ..., r_acc[127], old aaq[aaq_rf_idx])
    = value:    aaq[aaq_rf_idx] = v
    = value_cr: aaq[aaq_rf_idx] = v * cr[cr_idx]
    = inv:      aaq[aaq_rf_idx] = 0 if v == 0 else 1 / v
    = inv_sqrt: aaq[aaq_rf_idx] = 1 / sqrt(v) if v > 0 else 0
    = as int32 for an INT8 value or value_cr, else rounded once to float32
    > acc;
    > agg sum value cr0 aaq0;;
    - traits may-fault; writes aaq_rf_idx; reads cr_idx, old aaq_rf_idx, r_acc
aaq
    AAQ Quantize | Clamps each of the 128 int32 words of the accumulator, including what this
    bundle's acc just wrote, to -128..127 and keeps the bytes in aaq_result; the next bundle can
    store them. Faults unless cr15 is 0 (INT8). The machine option aaq_shift, 0 unless set, shifts
    the words right first.
    = fault unless cr15 == 0
    = for i in [0, 128): aaq_result[i] = clamp(r_acc[i] >> aaq_shift, -128, 127)
    > acc;
    > aaq;;
    > xmem.store_aaq_result lr0 cr0;;
    - requires cr15 in 0; writes aaq_result; reads r_acc
"""

_LR = """\
incr {reg:LrIdx} {value:Immediate}
    Increment Loop Register | Adds a constant to a loop register, modulo 2^32. xmem, mult and acc of
    the same bundle see the new value, cond and break the old one. Faults if the other lr
    instruction writes the same register, except that adding 0 does nothing at all.
    reg: Loop register to change (lr0-lr15)
    value: Amount, 16 bits, sign-extended: 32768 to 65535 mean -32768 to -1
    = reg = (reg + sign_extend_16(value)) mod 2^32
    > incr lr0 1;;
    - computes reg = reg + sext16(value); writes reg; reads reg; idle value 0
set {reg:LrIdx} {value:Immediate}
    Set Loop Register | Puts a constant of 16 bits, sign-extended to 32, into a loop register. xmem,
    mult and acc of the same bundle see the new value, cond and break the old one. Faults if the
    bundle's other lr instruction writes the same register.
    reg: Loop register to fill (lr0-lr15)
    value: New value, 16 bits, sign-extended (32768 to 65535: -32768 to -1); get larger numbers from
        a cr register, with add
    = reg = sign_extend_16(value)
    > set lr0 0x1000;;
    - computes reg = sext16(value); writes reg
add {dest:LrIdx} {src_a:LcrIdx@old} {src_b:LcrIdx@old}
    Add Registers | Adds two registers as they were before the bundle, modulo 2^32, whatever the
    other lr instruction does. xmem, mult and acc of the same bundle see the sum, cond and break the
    old value. {WRITTEN_TWICE}
    dest: Loop register for the sum (lr0-lr15); may be a source too
    src_a: First summand (lr0-lr15 or cr0-cr15), value before the bundle
    src_b: Second summand (lr0-lr15 or cr0-cr15), value before the bundle
    = dest = (old src_a + old src_b) mod 2^32
    > add lr0 lr1 cr2;;
    - computes dest = src_a + src_b; writes dest
sub {dest:LrIdx} {src_a:LcrIdx@old} {src_b:LcrIdx@old}
    Subtract Registers | Subtracts the second register from the first, both as they were before the
    bundle, modulo 2^32, whatever the other lr instruction does. xmem, mult and acc of the same
    bundle see the difference, cond and break the old value. {WRITTEN_TWICE}
    dest: Loop register for the difference (lr0-lr15); may be a source too
    src_a: What to subtract from (lr0-lr15 or cr0-cr15), value before the bundle
    src_b: What to subtract (lr0-lr15 or cr0-cr15), value before the bundle
    = dest = (old src_a - old src_b) mod 2^32
    > sub lr0 lr1 lr2;;
    - computes dest = src_a - src_b; writes dest
"""

_COND = """\
beq {reg1} {reg2} {label}
    Branch if Equal | Goes to a label if two loop registers are equal, else on to the next bundle.
    {OLD_VALUES}: an incr or set beside it does not count yet.
    = pc = label if old reg1 == old reg2 else pc + 1
    >     beq lr0 lr1 end;;
    >     acc;;
    > end:
    >     bkpt;;
    - condition reg1 == reg2; flow branch
bne {reg1} {reg2} {label}
    Branch if Not Equal | Goes to a label if two loop registers differ, else on to the next bundle.
    {OLD_VALUES}, so a loop with the counter's incr in the same bundle runs once more than one with
    the incr a bundle earlier.
    = pc = label if old reg1 != old reg2 else pc + 1
    > loop:
    >     incr lr0 1;
    >     bne lr0 lr1 loop;;
    - condition reg1 != reg2; flow branch
blt {reg1} {reg2} {label}
    Branch if Less Than | Goes to a label if the first loop register is less than the second, both
    as signed 32-bit numbers, else on to the next bundle. {OLD_VALUES}: an incr or set beside it
    does not count yet.
    reg1: The one that must be smaller (lr0-lr15), value from before the bundle
    reg2: The one to compare with (lr0-lr15), value from before the bundle
    = pc = label if signed(old reg1) < signed(old reg2) else pc + 1
    > loop:
    >     incr lr0 1;
    >     blt lr0 lr1 loop;;
    - condition reg1 < reg2; flow branch
bnz {test_reg} {base_reg:LrIdx@old} {label}
    Branch if Not Equal to Base | Goes to a label if the test register differs from the base
    register, else on to the next bundle: the same as bne, and a test against zero only if the base
    holds zero. {OLD_VALUES}.
    base_reg: What counts as zero (lr0-lr15), value from before the bundle
    = pc = label if old test_reg != old base_reg else pc + 1
    > loop:
    >     incr lr3 -1;
    >     bnz lr3 lr0 loop;;
    - condition test_reg != base_reg; flow branch
bz {test_reg} {base_reg:LrIdx@old} {label}
    Branch if Equal to Base | Goes to a label if the test register equals the base register, else on
    to the next bundle: the same as beq, and a test against zero only if the base holds zero.
    {OLD_VALUES}.
    base_reg: What counts as zero (lr0-lr15), value from before the bundle
    = pc = label if old test_reg == old base_reg else pc + 1
    >     bz lr3 lr0 zero;;
    >     acc;;
    > zero:
    >     bkpt;;
    - condition test_reg == base_reg; flow branch
b {label}
    Unconditional Branch | Always goes to a label, after the other slots of the bundle have run. A
    bundle that names no cond instruction holds a b to the bundle after it.
    = pc = label
    >     b start;;
    >     acc;;
    > start:
    >     bkpt;;
    - flow jump
br {reg:LrIdx@old}
    Branch Register | Goes to the bundle whose number a loop register held before the bundle; a set
    beside it comes too late. An address of 1024 or more, which any negative value is too, halts the
    machine.
    reg: Bundle address, all 32 bits (lr0-lr15), value from before the bundle
    = pc = old reg
    > set lr0 2;;
    > br lr0;;
    > bkpt;;
    - flow indirect
bkpt
    Breakpoint (Halt) | {ENDS} break.
    = pc = 1024  # halted
    > str_acc_reg lr0 cr0;
    > bkpt;;
    - flow halt
"""

INSTRUCTION_SPEC: dict[str, dict[str, dict[str, Any]]] = {
    "break": {**_NOTATION.entries(_BREAK)},
    "xmem": {**_NOTATION.entries(_XMEM)},
    "mult": {**_NOTATION.entries(_MULT)},
    "acc": {**_NOTATION.entries(_ACC)},
    "aaq": {**_NOTATION.entries(_AAQ)},
    "lr": {**_NOTATION.entries(_LR)},
    "cond": {**_NOTATION.entries(_COND)},
}
