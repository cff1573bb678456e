"""Documentation of forms: written by hand in `texts`, else derived from the mnemonic."""

from __future__ import annotations

import re
from typing import Mapping, Sequence

from ipu_asm.isa.model import InstructionDoc, Operand
from ipu_asm.targets.aie.texts import TEXTS

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
        """`examples` overrides those of `TEXTS`, by mnemonic; `slots` maps slots to titles."""
        self._examples = examples
        self._slots = slots

    def document(
        self, mnemonic: str, slot: str, syntax: str, operands: Sequence[Operand]
    ) -> InstructionDoc:
        """Return the documentation of one form."""
        text = TEXTS.get(mnemonic)
        lines = [f"{operand.name}: {operand.description}" for operand in operands]
        if text is None:
            title = _title_of(mnemonic)
            summary = f"An operation of {self._slots[slot]}."
            return InstructionDoc(title, summary, syntax, lines)
        example = self._examples.get(mnemonic, text.example)
        return InstructionDoc(text.title, text.summary, syntax, lines, text.operation, example)


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
