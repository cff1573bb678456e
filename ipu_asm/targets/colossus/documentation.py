"""Documentation of Colossus instructions, mostly derived from mnemonics and operand names."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.isa.model import InstructionDoc
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.targets.colossus.summaries import ACCUMULATING, ELEMENTWISE, OPERATIONS


class OperationDoc(NamedTuple):
    """Documentation of an operation: title, summary, and optional pseudo-code."""

    title: str
    summary: str
    operation: str = ""


def _table(lines: str) -> dict[str, OperationDoc]:
    """Parse a table of `summaries`, by name."""
    table = {}
    for line in re.sub(r"\n +", " ", lines).strip().splitlines():
        name, _, said = line.partition(": ")
        table[name] = OperationDoc(*said.split(" | ", 2))
    return table


_OPERATIONS = _table(OPERATIONS)
_ELEMENTWISE = _table(ELEMENTWISE)
_ACCUMULATING = _table(ACCUMULATING)
_VECTOR = re.compile(r"(f8|f16|f32)(?:v([248]))?(.+)")
_MEMORY = re.compile(r"(ld|st)([sz]?)(b?)(8|16|32|64|128)(step)?")
_PRODUCT = re.compile(r"([hs])i([hs])o(?:v\d)?(amp|slic)")
_PRODUCTS = {
    "amp": ("Multiplies by the matrix of weights", "Accumulating matrix product"),
    "slic": ("Convolves with the weights", "Accumulating convolution"),
}
_PRECISIONS = {"h": "half", "s": "single"}
_TYPES = {"f8": "quarter-precision", "f16": "half-precision", "f32": "single-precision"}
_COUNTS = {"": "one", "2": "two", "4": "four", "8": "eight"}
_COMPARISONS = {
    "eq": ("equal", "=="),
    "ne": ("different", "!="),
    "lt": ("less", "<"),
    "le": ("less or equal", "<="),
    "gt": ("greater", ">"),
    "ge": ("greater or equal", ">="),
}
_CONVERSIONS = {
    "f8": "quarter precision",
    "f16": "half precision",
    "f32": "single precision",
    "i32": "signed integers",
    "ui32": "unsigned integers",
}

_SAME_AS = {"z": "an unsigned immediate", "s": "a signed immediate"}

_OPERANDS: Sequence[tuple[str, str]] = (
    ("Dst", "the result"),
    ("SrcDst", "a source, and the result"),
    ("Src", "a source"),
    ("Base", "the base address"),
    ("Delta", "bytes that are added to the base"),
    ("Offset", "an offset, in elements"),
    ("Off", "an offset, in elements"),
    ("Stride", "how many elements the pointer advances"),
    ("Addr", "an address"),
    ("Entry", "the address at which workers begin"),
    ("VBase", "the address of the vertex's state"),
    ("MiniD", "small offsets, packed, of which one is used up"),
)


def operation_doc(mnemonic: str) -> OperationDoc:
    """Return the documentation of an operation, derived from its mnemonic where no table has it."""
    known = _OPERATIONS.get(mnemonic) or _of_vector(mnemonic) or _of_memory(mnemonic)
    return known or _of_alias(mnemonic)


def _of_alias(mnemonic: str) -> OperationDoc:
    if mnemonic.endswith("64") and mnemonic[:-2] in _OPERATIONS:
        one = _OPERATIONS[mnemonic[:-2]]
        return OperationDoc(f"{one.title}, 64 bits", one.summary, one.operation)
    if mnemonic[:-1] in _OPERATIONS and mnemonic[-1] in _SAME_AS:
        one = _OPERATIONS[mnemonic[:-1]]
        return OperationDoc(
            one.title, f"`{mnemonic[:-1]}` with {_SAME_AS[mnemonic[-1]]}.", one.operation
        )
    return OperationDoc(f"The {mnemonic} operation", f"The operation that is called `{mnemonic}`.")


def _of_memory(mnemonic: str) -> OperationDoc | None:
    match = _MEMORY.fullmatch(mnemonic)
    if match is None:
        return None
    verb, sort, repeats, bits, step = match.groups(default="")
    title = "Load" if verb == "ld" else "Store"
    what = f"{title}s {bits} bits at "
    then = {"s": ", and extends their sign", "z": ", and fills up with zeros"}.get(sort, "")
    then += ", and repeats them in the register" if repeats else ""
    if step:
        then += ", and advances the delta" if then else ", then advances the delta"
        return OperationDoc(f"{title} and step", f"{what}base + delta{then}.")
    place = "memory[base + delta + size * off]"
    operation = f"dst0 = {place}" if verb == "ld" else f"{place} = src0"
    return OperationDoc(title, f"{what}the sum of a base, a delta and an offset{then}.", operation)


def _of_vector(mnemonic: str) -> OperationDoc | None:
    match = _VECTOR.fullmatch(mnemonic)
    if match is None:
        return None
    element, count, name = match[1], match[2] or "", match[3]
    of = f"{_COUNTS[count]} {_TYPES[element]} number{'s' if count else ''}"
    if name.startswith("cmp") and name[3:] in _COMPARISONS:
        word, mark = _COMPARISONS[name[3:]]
        summary = f"Compares {of} with others: all bits of a result are set where they are {word}."
        return OperationDoc(f"Compare: {word}", summary, f"dst0 = src0 {mark} src1")
    known = _ELEMENTWISE.get(name) or _ACCUMULATING.get(name)
    if known is not None:
        at_once = " at once" if count else ""
        return known._replace(summary=f"{known.summary}; works on {of}{at_once}.")
    return _of_conversion(of, name) or _of_products(of, name)


def _of_conversion(of: str, name: str) -> OperationDoc | None:
    for direction, verb in (("to", "Converts {} to {}."), ("from", "Makes {} of {}.")):
        other = _CONVERSIONS.get(name.removeprefix(direction))
        if name.startswith(direction) and other:
            return OperationDoc("Convert", verb.format(of, other))
    return None


def _of_products(of: str, name: str) -> OperationDoc | None:
    """Document the accumulating products with weights: matrix (`amp`) or convolution (`slic`)."""
    match = _PRODUCT.fullmatch(name)
    if match is None:
        return None
    what, title = _PRODUCTS[match[3]]
    summary = (
        f"{what} that stand in the configuration space, {of} at a time, and adds to the "
        f"accumulators; partial sums come in with {_PRECISIONS[match[1]]} and go out with "
        f"{_PRECISIONS[match[2]]} precision. The flags choose the phase and the accumulators."
    )
    return OperationDoc(title, summary)


def describe_operand(token: str) -> str:
    """Describe an operand by its token in the table of forms."""
    name = token.lstrip("$")[1:]
    if not token.startswith("$"):
        return _IMMEDIATES.get(token, "an immediate")
    said = next(said for begin, said in _OPERANDS if name.startswith(begin))
    return said + _SUFFIXES.get(token[-2:].lstrip("0123456789"), "")


_SUFFIXES = {
    "+=": ", advanced afterwards",
    "++": ", advanced afterwards",
    ":B": ", repeated for every element",
    "BL": ", whose lower half is repeated for every element",
    "BU": ", whose upper half is repeated for every element",
}
_IMMEDIATES = {
    "target19": "where to go on",
    "target20": "the function",
    "csr": "the control and status register",
    "ucsr": "the control and status register of the aux pipeline",
    "bundles8": "the number of bundles in the body, less one",
    "flags": "flags that choose phase and accumulators",
    "rounding": "the way of rounding",
    "symbol20": "the value, or an address",
    "imm32": "the value",
    "neg16": "a number, which is subtracted",
    "simm8": "how many elements the delta advances",
    "strides2": "which stride the pointer takes, 2 bits and room for a second pointer's",
    "strides2x2": "which stride each pointer takes, 2 bits each",
    "strides3x2": "which stride each pointer takes, 2 bits each",
}


def documentation(mnemonic: str, tokens: Sequence[str], syntax: str) -> InstructionDoc:
    """Return the page of one form; `tokens` are its operands as written in the table of forms."""
    said = operation_doc(mnemonic)
    operands = tuple(f"{token.lstrip('$')}: {describe_operand(token)}" for token in tokens)
    return InstructionDoc(said.title, said.summary, syntax, operands, said.operation)
