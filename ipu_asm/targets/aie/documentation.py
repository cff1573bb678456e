"""Documentation of forms: written by hand in a table, else derived from the mnemonic."""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from ipu_asm.isa.model import InstructionDoc, Operand
from ipu_asm.isa.notations import blocks

OPERANDS: Mapping[str, str] = {
    "dst": "register for the result",
    "cmp": "register for one bit of each comparison",
    "src": "register with the source",
    "src1": "register with the first source",
    "src2": "register with the second source",
    "acc": "accumulator that is read late, in the cycle in which it is needed",
    "acc1": "first accumulator that is read",
    "acc2": "second accumulator that is read",
    "conf": "register with the configuration of the operation",
    "ptr": "pointer to data memory",
    "dj": "offset that is added to the pointer for this access",
    "mod": "what the pointer grows by after the access",
    "offset": "number that is added to the pointer",
    "[ptr]": "address in data memory; what follows is added to the pointer afterwards",
    "[ptr, dj]": "address in data memory, the pointer and an offset register",
    "[ptr, #offset]": "address in data memory, the pointer and an offset",
    "[sp, #offset]": "address on the stack",
    "[ptr, fifo, position]": "pointer, queue and position that belong together",
    "[ptr, fifo, position, mod]": "pointer, queue, position and what the pointer grows by",
    "shift": "register with the number of bits to shift by",
    "index": "number of the element",
    "mode": "register with the number of the permutation",
    "select": "register with one bit for each element",
    "amount": "register with the number of bytes",
    "imm": "the number",
    "target": "where to go on, after the delay slots",
    "cond": "register that is compared with zero",
    "lock": "number of the lock",
    "value": "register with the value of the lock",
    "tlast": "register that tells whether this is the last word of a packet",
    "r26": "register of this number, always",
    "r27": "register of this number, always: it holds the condition",
    "r31": "register of this number, always",
    "lr": "the link register, always",
    "ms": "the stream that goes out",
    "ss": "the stream that comes in",
    "scd": "the cascade that comes in",
    "mcd": "the cascade that goes out",
    "cntr": "the counter of cycles, 64 bits",
    "src3": "register with the third source",
    "words": "number of words",
    "type": "type of the packet",
    "op": "operation of the packet",
    "id": "register with the number of the packet",
    "address": "register with the address of the packet",
    "[sp]": "the stack pointer, to which what follows is added",
    "[p2, sf, r26]": "pointer, store queue and position, always these",
    "[p2, sf, r26, mod]": "pointer, store queue and position, and what the pointer grows by",
    "r16": "register of this number, always: it receives the comparison",
    "r17:r16": "pair of these numbers, always: it receives the comparison",
    "r28": "register of this number, always: it tells whether a word is the last of a packet",
    "r29": "register of this number, always: it holds the number of the element",
    "r30": "register of this number, always: it holds the number of bytes",
    "s2": "register of this number, always: how far the point is shifted",
    "s3": "register of this number, always: how far the point is shifted",
    "packsign0": "elements are unsigned when they are packed",
    "packsign1": "elements are signed when they are packed",
    "unpacksign0": "elements are unsigned when they are unpacked",
    "unpacksign1": "elements are signed when they are unpacked",
    "srssign0": "results are unsigned",
    "srssign1": "results are signed",
    "upssign0": "sources are unsigned",
    "upssign1": "sources are signed",
    "vaddsign0": "elements are unsigned",
    "vaddsign1": "elements are signed",
    "scd[r31]": "the cascade that comes in, at the place that `r31` tells",
    "scd[r31++]": "the same, and `r31` goes on to the next place",
    "r31++": "place in the cascade; the register goes on to the next one",
}

# By mnemonic: the title and a summary, to which each form adds its syntax and operands.
_TABLE = """\
nop
    No Operation | A whole bundle that does nothing, in 16 bits. It stands alone; idle slots of
    other bundles have operations of their own, such as `nopa`.
    = nothing
    > nop
nopa
    No Operation in Load Unit A | Takes up load unit a for one bundle {IDLE}
    = nothing
    > nopa; vldb wl0, [p0, #0]
nopb
    No Operation in Load Unit B | Takes up load unit b for one bundle {IDLE}
    = nothing
    > nopb; vlda wl0, [p0, #0]
nops
    No Operation in the Store Unit | Takes up the store unit for one bundle {IDLE}
    = nothing
    > nops; add r0, r0, #1
nopx
    No Operation in the Scalar Unit | Takes up the scalar unit for one bundle {IDLE}
    = nothing
    > nopx; mov r0, r1
nopm
    No Operation in the Move Unit | Takes up the move unit for one bundle {IDLE}
    = nothing
    > nopm; add r0, r0, #1
nopv
    No Operation in the Vector Unit | Takes up the vector unit for one bundle {IDLE}
    = nothing
    > nopv; mov r0, r1
nopxm
    No Operation in the Scalar and the Move Unit | Takes up the scalar and the move unit for one
    bundle {IDLE}
    = nothing
    > nopa; nopxm
mov
    Move | Copies a register or an immediate, within one bundle. The immediate has 10 bits on XDNA1
    and 11 on XDNA2. Other forms read a stream or write one.
    = dst = src
    > mov p3, p0
mova
    Move Immediate in Load Unit A | Writes an immediate of 11 bits, where the document speaks of 8.
    There is no form that copies a register: that is `mov`.
    = dst = imm
    > mova r0, #28
movx
    Move in the Scalar Unit | Writes an immediate of 11 bits (the document speaks of 8), or copies a
    scalar register to a control register.
    = dst = imm
    > movx r24, #0
movxm
    Move Long Immediate | Writes an immediate of 32 bits or the address of a symbol. It takes the
    scalar and the move unit together.
    = dst = imm
    > movxm r0, #1000000
vmov
    Vector Move | Copies a vector register or an accumulator, or reads or writes the cascade.
    Between registers the copy lands two bundles later.
    = dst = src
    > vmov x1, x0
lda
    Load in Unit A | Reads four bytes, or sixteen for a mask register. The result lands seven
    bundles later: the document's table says 6 for loads of four bytes, the compiler schedules 7 for
    all of them.
    = dst = memory[ptr]
    = ptr = ptr + offset, where an offset follows the bracket
    > lda r1, [p0, #0]
vlda
    Vector Load in Unit A | Reads a vector register or a part of an accumulator, which lands seven
    bundles later. Unit A alone reaches accumulators.
    = dst = memory[ptr]
    = ptr = ptr + offset, where an offset follows the bracket
    > vlda wl0, [p0], #32
vldb
    Vector Load in Unit B | Reads a vector register, which lands seven bundles later. Unit B has no
    scalar load: the `LDB` of the document does not exist.
    = dst = memory[ptr]
    = ptr = ptr + offset, where an offset follows the bracket
    > vldb wl0, [p0, #32]
vlda.conv.fp32.bf16
    Vector Load with Conversion | Reads bfloat16 values and makes 32-bit floating-point values of
    them in an accumulator, seven bundles later.
    = dst = fp32(memory[ptr])
    > vlda.conv.fp32.bf16 bml0, [p0], #32
vlda.fill.512
    Fill the Load Queue in Unit A | Reads 64 bytes into a load queue, for operands whose size is no
    power of two. The position counts what the queue holds.
    = fifo = memory[ptr]
    = position = position + 64
    > vlda.fill.512 [p0, lf0, r24]
vldb.fill.512
    Fill the Load Queue in Unit B | The same as `vlda.fill.512` in the other unit, so that both
    queues fill at once.
    = fifo = memory[ptr]
    = position = position + 64
    > vldb.fill.512 [p1, lf1, r25]
vlda.pop.576
    Take 576 Bits from the Load Queue in Unit A | Reads the next 64 bytes and takes 72 out of the
    queue, which land eight bundles later. The pointer grows by 72. No ordinary load may follow it
    in the pipeline.
    = dst = 72 bytes of fifo and memory[ptr]
    = ptr = ptr + 72
    = position = position - 8
    > vlda.pop.576 ex5, [p0, lf0, r24]
vldb.pop.576
    Take 576 Bits from the Load Queue in Unit B | The same as `vlda.pop.576` in the other unit, with
    a queue of its own.
    = dst = 72 bytes of fifo and memory[ptr]
    = ptr = ptr + 72
    = position = position - 8
    > vldb.pop.576 ex10, [p1, lf1, r25]
st
    Store | Writes four bytes, or sixteen of a mask register. The value is read in the cycle of
    issue (the document's latency of 6 is that of the memory). The access itself follows later,
    after five cycles.
    = memory[ptr] = src
    = ptr = ptr + offset, where an offset follows the bracket
    > st r4, [p2, #0]
vst
    Vector Store | Writes a vector register or a part of an accumulator. The value is read in the
    cycle of issue; the document says 2. The access itself follows later, after five cycles.
    = memory[ptr] = src
    = ptr = ptr + offset, where an offset follows the bracket
    > vst wl3, [p2], #32
vst.conv.bf16.fp32
    Vector Store with Conversion | Makes bfloat16 values of an accumulator and writes them. The
    value is read in the cycle of issue. The access itself follows later, after seven cycles.
    = memory[ptr] = bf16(src)
    > vst.conv.bf16.fp32 bml0, [p2], #32
vst.push.576.conv.bfp16ebs8.fp32
    Put 576 Bits into the Store Queue, with Conversion | Makes block floating-point values of an
    accumulator and puts their 72 bytes into the store queue, which writes whole vectors. Close it
    with `vst.flush.512.conv`.
    = fifo = fifo and bfp16(src)
    > vst.push.576.conv.bfp16ebs8.fp32 dm0, [p2, sf, r26]
vst.flush.512.conv
    Empty the Store Queue | Writes what is left in the store queue after conversions.
    = memory[p2] = fifo
    > vst.flush.512.conv [p2, sf, r26]
vshuffle
    Vector Shuffle | Permutes the elements of two vector registers; the mode chooses how: 28 turns
    an 8x4 matrix of bfloat16 from one of 4x8, 29 the other way round. Lands two bundles later.
    = dst = permutation of src1 and src2
    > vshuffle x7, x2, x4, r0
add
    Addition | Adds two scalars within one bundle. An immediate has 7 bits and a sign.
    = dst = src1 + src2
    > add r1, r2, #3
padda
    Pointer Addition in Load Unit A | {PADD} The steps of the immediate differ: 4 bytes on XDNA1, 64
    on XDNA2.
    = ptr = ptr + offset
    > padda [p0], #64
paddb
    Pointer Addition in Load Unit B | {PADD} The steps of the immediate differ: 4 bytes on XDNA1, 64
    on XDNA2.
    = ptr = ptr + offset
    > paddb [p0], #64
padds
    Pointer Addition in the Store Unit | {PADD} The steps of the immediate differ: 4 bytes on XDNA1,
    64 on XDNA2.
    = ptr = ptr + offset
    > padds [p0], m1
mul
    Multiplication | Multiplies two scalars; the product lands two bundles later.
    = dst = src1 * src2
    > mul r0, r1, r2
vmac.f
    Matrix Multiply-Accumulate, Floating Point | Multiplies two matrices and adds the product to an
    accumulator. The sum lands six bundles later; the accumulator is read late, so that one sum can
    follow another. The configuration chooses shapes and types: 28 is 4x8x4 of bfloat16 on XDNA1,
    780 is 8x8x8 of block floating point on XDNA2.
    = dst = acc + src1 * src2
    >
lt
    Less Than | Compares signed numbers. {COMPARISONS}
    = dst = src1 < src2
    > lt r0, r1, r2
ltu
    Less Than, Unsigned | Compares unsigned numbers. {COMPARISONS}
    = dst = src1 < src2
    > ltu r1, r2, r1
ge
    Greater or Equal | Compares signed numbers. {COMPARISONS}
    = dst = src1 >= src2
    > ge r0, r1, r2
geu
    Greater or Equal, Unsigned | Compares unsigned numbers. {COMPARISONS}
    = dst = src1 >= src2
    > geu r0, r1, r2
sel.eqz
    Select if Zero | Takes one of two scalars, by whether `r27` is zero.
    = dst = src1 if r27 == 0 else src2
    > sel.eqz r0, r1, r2, r27
sel.nez
    Select if Not Zero | Takes one of two scalars, by whether `r27` is not zero.
    = dst = src1 if r27 != 0 else src2
    > sel.nez r0, r1, r2, r27
j
    Jump | Goes on at a label, or at the address in a pointer. {DELAYED}
    = pc = target
    > j p0
    > nop
    > nop
    > nop
    > nop
    > nop
jz
    Jump if Zero | Goes on at a label if a scalar is zero. {DELAYED}
    = if cond == 0: pc = target
    > again:
    > jz r0, #again
    > nop
    > nop
    > nop
    > nop
    > nop
jnz
    Jump if Not Zero | Goes on at a label if a scalar is not zero. {DELAYED}
    = if cond != 0: pc = target
    > again:
    > jnz r0, #again
    > nop
    > nop
    > nop
    > nop
    > nop
jl
    Call | Goes on at a label or a pointer and keeps the way back in `lr`. {DELAYED}
    = lr = address after the delay slots
    = pc = target
    > jl p0
    > nop
    > nop
    > nop
    > nop
    > nop
ret
    Return | Goes on at the address in the link register. {DELAYED}
    = pc = lr
    > ret lr
    > nop
    > nop
    > nop
    > nop
    > nop
"""
_SHARED = {
    "DELAYED": (
        "Takes effect after the five bundles that follow it, which are executed in any case."
    ),
    "IDLE": "and does nothing. A slot that a bundle does not name is idle too.",
    "COMPARISONS": (
        "Writes 1 or 0. There are `lt`, `ge`, `eq` and `ne` only: for `a > b` write `lt dst, b, "
        "a`, for `a <= b` write `ge dst, b, a`."
    ),
    "PADD": "Adds to a pointer without an access; the sum can be used in the next bundle.",
}

_BASES: Mapping[str, str] = {
    "abs": "Absolute Value", "acq": "Acquire a Lock", "adc": "Addition with Carry",
    "add": "Addition", "and": "Bitwise And", "ashl": "Arithmetic Shift",
    "clb": "Count Leading Bits", "clz": "Count Leading Zeros", "divs": "Division Step",
    "done": "End of the Program", "eq": "Equal", "eqz": "Equal to Zero", "event": "Raise an Event",
    "extend": "Extension", "ge": "Greater or Equal", "geu": "Greater or Equal, Unsigned",
    "inv": "Reciprocal", "invsqrt": "Reciprocal Square Root", "jnzd": "Count Down and Jump",
    "lda": "Load", "lshl": "Logical Shift", "lt": "Less Than", "ltu": "Less Than, Unsigned",
    "mac": "Multiply-Accumulate", "mov": "Move", "movs": "Move in the Store Unit",
    "movx": "Move", "msc": "Multiply-Subtract", "mul": "Multiplication", "ne": "Not Equal",
    "nez": "Not Equal to Zero", "or": "Bitwise Or", "padda": "Pointer Addition",
    "paddb": "Pointer Addition", "padds": "Pointer Addition", "paddxm": "Stack Pointer Addition",
    "popcount": "Count Ones", "rel": "Release a Lock", "sbc": "Subtraction with Carry",
    "sel": "Select", "sqrt": "Square Root", "st": "Store", "sub": "Subtraction",
    "xor": "Bitwise Exclusive Or", "vabs_gtz": "Absolute Value, Compared with Zero",
    "vadd": "Vector Addition", "vaddmac": "Multiply-Accumulate, Plus a Second Accumulator",
    "vaddmsc": "Multiply-Subtract, Plus a Second Accumulator",
    "vaddsub": "Vector Addition or Subtraction", "vband": "Vector And",
    "vbcst": "Broadcast of a Scalar", "vbcstshfl": "Broadcast with Shuffle",
    "vbneg_ltz": "Negation of Negative Elements", "vbor": "Vector Or", "vclr": "Clear",
    "vconv": "Conversion", "veqz": "Vector Equal to Zero", "vexp2": "Power of Two",
    "vextbcst": "Broadcast of an Element", "vextbcstshfl": "Broadcast of an Element with Shuffle",
    "vextract": "Extraction of an Element", "vfloor": "Rounding Down",
    "vge": "Vector Greater or Equal",
    "vinsert": "Insertion of an Element", "vlda": "Vector Load", "vldb": "Vector Load",
    "vlt": "Vector Less Than", "vmac": "Multiply-Accumulate", "vmax_lt": "Vector Maximum",
    "vmaxdiff_lt": "Positive Difference", "vmin_ge": "Vector Minimum", "vmov": "Vector Move",
    "vmsc": "Multiply-Subtract", "vmul": "Vector Multiplication", "vneg": "Vector Negation",
    "vneg_gtz": "Negation, Compared with Zero", "vnegadd": "Negated Addition",
    "vnegmac": "Negated Multiply-Accumulate", "vnegmsc": "Negated Multiply-Subtract",
    "vnegmul": "Negated Multiplication", "vnegsub": "Negated Subtraction", "vpack": "Packing",
    "vpush": "Push of an Element", "vsel": "Vector Select", "vshift": "Shift of Two Vectors",
    "vshuffle": "Vector Shuffle", "vsrs": "Shift, Round and Saturate",
    "vsrsm": "Shift, Round and Saturate", "vst": "Vector Store", "vsub": "Vector Subtraction",
    "vsub_ge": "Subtraction, Compared", "vsub_lt": "Subtraction, Compared",
    "vsubmac": "Multiply-Accumulate, Minus a Second Accumulator",
    "vsubmsc": "Multiply-Subtract, Minus a Second Accumulator", "vtanh": "Hyperbolic Tangent",
    "vunpack": "Unpacking", "vups": "Upshift into an Accumulator",
}  # fmt: skip

_PARTS: Mapping[str, str] = {
    "2d": "Two Dimensions", "3d": "Three Dimensions", "2x": "Twice as Wide",
    "4x": "Four Times as Wide",
    "align": "with Alignment", "bf16": "bfloat16", "bfp16ebs16": "Blocks of 16",
    "bfp16ebs8": "Blocks of 8", "compr": "Compressed", "cond": "Conditional",
    "conv": "with Conversion", "cph": "Control Packet Header", "d": "All Bits",
    "ebs8": "from Blocks of 8", "error": "Error", "f": "Floating Point", "fill": "Fill",
    "fillx": "Fill", "flush": "Empty the Queue", "fp32": "fp32", "hi": "Upper Half",
    "lo": "Lower Half", "nb": "without Waiting", "nc": "No Carry", "pack": "Packed",
    "peek": "Look Ahead", "ph": "Packet Header", "pop": "Take from the Queue",
    "popx": "Take from the Queue", "push": "Put into the Queue", "reset": "Reset",
    "sparse": "Sparse", "srs": "Shifted, Rounded and Saturated", "tlast": "Last Word",
    "tm": "Tile Memory Map", "unpack": "Unpacked", "ups": "Upshifted", "warning": "Warning",
    "eqz": "if Zero", "nez": "if Not Zero",
}  # fmt: skip

_WIDTH = re.compile(r"([sud]?)(\d+)")
_SORTS = {"s": "signed ", "u": "unsigned ", "d": "", "": ""}


class Documents:
    """Creates the documentation of forms, with examples that differ per instruction set."""

    def __init__(self, examples: Mapping[str, str], slots: Mapping[str, str]) -> None:
        """`examples` overrides those of the table, by mnemonic; `slots` maps slots to titles."""
        self._texts = {block.head: block for block in blocks(_TABLE, _SHARED)}
        self._examples = examples
        self._slots = slots

    def document(
        self, mnemonic: str, slot: str, syntax: str, operands: Sequence[Operand]
    ) -> InstructionDoc:
        lines = [f"{operand.name}: {operand.description}" for operand in operands]
        text = self._texts.get(mnemonic)
        if text is None:
            summary = f"An operation of {self._slots[slot]}."
            return InstructionDoc(_title_of(mnemonic), summary, syntax, lines)
        title, summary, _ = text.texts()
        example = self._examples.get(mnemonic, "\n".join(text.example))
        return InstructionDoc(title, summary, syntax, lines, "\n".join(text.operation), example)


def _title_of(mnemonic: str) -> str:
    """Return the title of an operation, such as "Vector Load, Two Dimensions"."""
    base, *parts = mnemonic.split(".")
    known = _BASES.get(base) or _BASES.get(base.rstrip("0123456789")) or base.capitalize()
    return ", ".join((known, *map(_part_title, parts)))


def _part_title(part: str) -> str:
    if part in _PARTS:
        return _PARTS[part]
    width = _WIDTH.fullmatch(part)
    if width is not None:
        return f"{_SORTS[width[1]]}{width[2]} Bits"
    return f"Step {part[1:]}" if part[0] == "d" else part
