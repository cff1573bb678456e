"""Documentation of Colossus instructions, mostly derived from mnemonics and operand names."""

from __future__ import annotations

import re
from typing import Sequence

from ipu_asm.isa.model import InstructionDoc
from ipu_asm.named_tuple import NamedTuple

# By mnemonic.
OPERATIONS = """
abs: Absolute value | Takes the absolute value of a signed integer. | dst0 = abs(src0)
add: Add integers | Adds; an immediate may be read as signed or unsigned, as its value needs. |
    dst0 = src0 + src1
and: Bitwise and | Keeps the bits that are set in both sources. | dst0 = src0 & src1
andc: Bitwise and with complement | Keeps the bits of the first source that are clear in the
    second. | dst0 = src0 & ~src1
atom: Aux to main | Copies an aux register to a main register. | dst0 = src0
bitrev8: Reverse bits of bytes | Turns round the order of the bits in each byte.
br: Branch to register | Goes on at the address in a register. | pc = src0
bri: Branch | Goes on at the target. | pc = target
brneg: Branch if negative | Goes on at the target if the register is negative. | if src0 < 0: pc =
    target
brnz: Branch if not zero | Goes on at the target if the register is not zero. | if src0 != 0: pc =
    target
brnzdec: Branch if not zero, and count down | Counts the register down; goes on at the target if
    it was not zero before. | if src_dst0 != 0: pc = target; src_dst0 = src_dst0 - 1
brpos: Branch if not negative | Goes on at the target if the register is zero or greater. | if
    src0 >= 0: pc = target
brz: Branch if zero | Goes on at the target if the register is zero. | if src0 == 0: pc = target
call: Call | Keeps the address of the next instruction in a register and goes on at the target. |
    dst0 = pc + 4; pc = target
clz: Count leading zeros | Counts the clear bits above the highest set one. | dst0 =
    leading_zeros(src0)
cmpeq: Compare: equal | Is 1 if the sources are equal, else 0. | dst0 = src0 == src1
cmpne: Compare: different | Is 1 if the sources differ, else 0. | dst0 = src0 != src1
cmpslt: Compare: less, signed | Is 1 if the first source is less than the second, both signed,
    else 0. | dst0 = src0 < src1
cmpult: Compare: less, unsigned | Is 1 if the first source is less than the second, both unsigned,
    else 0. | dst0 = src0 < src1
cms: Count sign bits | Counts the bits that repeat the sign.
delay: Delay | Waits for a number of cycles. The supervisor uses it to keep time with the
    exchange.
exitneg: Exit if negative | Ends the worker; its exit status is whether the register is negative.
exitnz: Exit if not zero | Ends the worker; its exit status is whether the register is not zero.
exitpos: Exit if not negative | Ends the worker; its exit status is whether the register is zero
    or greater.
exitz: Exit if zero | Ends the worker; its exit status is whether the register is zero.
fnop: No operation (aux) | Does nothing in the aux pipeline: fills a bundle.
get: Get control register | Reads a control and status register. | dst0 = csr
ld128putcs: Load to configuration space | Loads 128 bits into the configuration space of the aux
    pipeline, from where `$CCCSLOAD` points.
ld2x64pace: Load two and step | Loads 64 bits from each of two pointers and advances both. The
    pointers stand packed in a pair of registers.
ld2xst64pace: Load two, store and step | Loads from two pointers and stores to a third, 64 bits
    each, and advances all. The pointers stand packed in a pair of registers.
ld64a32: Load two, one through an index | Loads 64 bits and 32 bits at once.
ld64a32pace: Load two and step | Loads 64 bits and 32 bits from two pointers and advances both.
ld64b16pace: Load two and step | Loads 64 bits and a repeated half from two pointers and advances
    both.
ld64putcs: Load to configuration space | Loads 64 bits into the configuration space of the aux
    pipeline, from where `$CCCSLOAD` points.
ldb16b16: Load two halves, repeated | Loads two halves and repeats each in a register.
ldconst: Load constant | Sets a register to any 32-bit value; becomes one or two instructions, so
    it may not stand in a bundle. | dst0 = value
ldd16a32: Load through an index | Loads 32 bits at an address that a 16-bit index, taken from a
    list, gives.
ldd16a64: Load through an index | Loads 64 bits at an address that a 16-bit index, taken from a
    list, gives.
ldd16b16: Load a half through an index | Loads a half, repeated, at an address that a 16-bit
    index, taken from a list, gives.
ldd16v2a32: Load through an index | Loads two halves at addresses that a 16-bit index, taken from
    a list, gives.
ldst64pace: Load, store and step | Loads 64 bits and stores 64 bits at two pointers and advances
    both. The pointers stand packed in a pair of registers.
max: Maximum of integers | Takes the greater of two signed integers. | dst0 = max(src0, src1)
min: Minimum of integers | Takes the lesser of two signed integers. | dst0 = min(src0, src1)
mov: Move | Copies registers. | dst0 = src0
movnz: Move if not zero | Copies the second source if the first is not zero. | if src0 != 0:
    src_dst0 = src1
movz: Move if zero | Copies the second source if the first is zero. | if src0 == 0: src_dst0 =
    src1
mul: Multiply integers | Multiplies; the lower 32 bits are the result. | dst0 = src0 * src1
nop: No operation (main) | Does nothing in the main pipeline.
not: Bitwise complement | Inverts all bits. | dst0 = ~src0
or: Bitwise or | Keeps the bits that are set in one of the sources. An immediate has 12 bits, at
    the bottom or at the top of the word. | dst0 = src0 | src1
popc: Count set bits | Counts the bits that are set. | dst0 = popcount(src0)
put: Put control register | Writes a control and status register. | csr = src0
roll16: Join halves | Takes the upper 16 bits of one source and the lower 16 of the other, in
    turned order.
roll32: Join words | Takes the upper 32 bits of one source and the lower 32 of the other, in
    turned order.
roll8l: Roll bytes left | Moves the bytes of a pair of registers up by one.
roll8r: Roll bytes right | Moves the bytes of a pair of registers down by one.
rpt: Repeat | Executes the bundles that follow several times. The body has only bundles, one more
    than the immediate says, begins at a multiple of 8 bytes, and holds no control or system
    instruction. | repeat src0 times: the next (count + 1) bundles
run: Run a worker | Starts one worker at an entry point, with a vertex base.
runall: Run all workers | Starts all workers at an entry point, with a vertex base.
sans: Send answer | Tells the exchange that the tile is ready to sync.
send: Send | Sends words of the tile's memory to the exchange.
setzi: Set immediate | Sets a register to an unsigned number of 20 bits or to an address. | dst0 =
    value
shl: Shift left | Shifts to the left; zeros come in. | dst0 = src0 << src1
shr: Shift right | Shifts to the right; zeros come in. | dst0 = src0 >> src1
shrs: Shift right, signed | Shifts to the right; copies of the sign come in. | dst0 = src0 >> src1
shuf8x8hi: Shuffle bytes, upper | Interleaves the bytes of two sources; the upper half of the
    result.
shuf8x8lo: Shuffle bytes, lower | Interleaves the bytes of two sources; the lower half of the
    result.
sort4x16hi: Sort halves, upper | Joins the upper 16 bits of both sources.
sort4x16lo: Sort halves, lower | Joins the lower 16 bits of both sources.
sort4x32hi: Sort words, upper | Joins the upper 32 bits of both sources.
sort4x32lo: Sort words, lower | Joins the lower 32 bits of both sources.
sort8: Sort bytes | Puts the even bytes of the source before the odd ones.
sort8x8hi: Sort bytes, upper | Joins the odd bytes of both sources.
sort8x8lo: Sort bytes, lower | Joins the even bytes of both sources.
st64pace: Store and step | Stores 64 bits and advances the pointer that stands packed in a pair of
    registers.
stm32: Store, main | Stores a main register at a base and an offset in registers. | memory[base +
    4 * off] = src0
stm32step: Store and step, main | Stores a main register and advances the base.
strap: Trap of the supervisor | Stops the supervisor for the debugger.
sub: Subtract integers | Subtracts the last source; of an immediate in the last place its negative
    is added. | dst0 = src1 - src0
swap16: Swap halves | Exchanges the halves of a register. | dst0 = src0 >> 16 | src0 << 16
swap8: Swap bytes | Exchanges the bytes of each half of a register.
sync: Synchronise | Waits until all tiles of the zone have come so far, before exchange begins or
    ends.
tapack: Pack addresses | Packs three addresses into a pair of registers, for the load and store
    instructions that step three pointers. | dst0 = pack(addr0, addr1, addr2)
trap: Trap | Stops the context for the debugger.
uget: Get aux control register | Reads a control and status register of the aux pipeline. | dst0 =
    csr
uput: Put aux control register | Writes a control and status register of the aux pipeline. | csr =
    src0
urand32: Random bits | Makes 32 random bits. | dst0 = random()
urand64: Random bits | Makes 64 random bits. | dst0 = random()
xnor: Bitwise equality | Keeps the bits that are alike in both sources. | dst0 = ~(src0 ^ src1)
xor: Bitwise difference | Keeps the bits that differ in both sources. | dst0 = src0 ^ src1
zero: Zero | Sets registers to zero. | dst0 = 0
"""

# By suffix of the mnemonic: operations on each element of a vector.
ELEMENTWISE = """
absadd: Add magnitudes | Adds the absolute values | dst0 = abs(src0) + abs(src1)
absmax: Greater magnitude | Takes the greater absolute value | dst0 = max(abs(src0), abs(src1))
add: Add | Adds | dst0 = src0 + src1
axpy: Scale and add | Multiplies by the scale in `$TAS` and adds | dst0 = TAS * src0 + src1
clamp: Clamp | Limits each element to a lower and an upper bound | dst0 = min(max(src0,
    src1.lower), src1.upper)
class: Classify | Tells what sort of number each element is, as a code of 8 bits
div: Divide | Divides | dst0 = src0 / src1
exp: Exponential | Raises e to the power of each element | dst0 = exp(src0)
exp2: Power of two | Raises 2 to the power of each element | dst0 = 2 ** src0
gina: Add noise | Adds Gaussian noise, scaled by the immediate
grand: Gaussian random numbers | Makes random numbers of normal distribution
ln: Natural logarithm | Takes the logarithm to base e | dst0 = ln(src0)
log2: Binary logarithm | Takes the logarithm to base 2 | dst0 = log2(src0)
max: Maximum | Takes the greater of two elements | dst0 = max(src0, src1)
maxc: Maximum across | Takes the greatest of neighbouring elements
min: Minimum | Takes the lesser of two elements | dst0 = min(src0, src1)
mix: Scale, add and hand on | Scales two vectors by the factors in `$TAS` and adds them; the sum
    of the call before comes out of the accumulators
mul: Multiply | Multiplies | dst0 = src0 * src1
oorx: One over root | Takes the reciprocal of the square root | dst0 = 1 / sqrt(src0)
oox: One over | Takes the reciprocal | dst0 = 1 / src0
rmask: Random mask | Sets elements to zero at random, with the probability that the second source
    gives
sigm: Logistic function | Takes the logistic function | dst0 = 1 / (1 + exp(-src0))
sqrt: Square root | Takes the square root | dst0 = sqrt(src0)
sub: Subtract | Subtracts | dst0 = src0 - src1
sufromui: Unit interval from integer | Makes numbers between -0.5 and 0.5 of unsigned integers
sum: Sum across | Adds neighbouring elements
tanh: Hyperbolic tangent | Takes the hyperbolic tangent | dst0 = tanh(src0)
int: Round to integral | Rounds to a whole number, in the given way, and leaves it a
    floating-point number | dst0 = round(src0)
"""

# By suffix of the mnemonic: operations on the accumulators.
ACCUMULATING = """
acc: Accumulate | Adds the elements to the accumulators
absacc: Accumulate magnitudes | Adds the absolute values of the elements to the accumulators
sqacc: Accumulate squares | Adds the squares of the elements to the accumulators
mac: Multiply and accumulate | Adds the products of the elements to the accumulators
cmac: Multiply and accumulate across | Adds all products of the elements to one accumulator
gacc: Get and clear accumulators | Reads the sums out of the accumulators and sets those to zero
stacc: Store accumulators | Reads the accumulators that the flags choose and hands on the others
istacc: Insert and store accumulators | Puts new values into the accumulators and reads those that
    leave them
aop: Outer product | Adds the outer product of the sources to the accumulators that the flags
    choose
"""


class OperationDoc(NamedTuple):
    """Documentation of an operation: title, summary, and optional pseudo-code."""

    title: str
    summary: str
    operation: str = ""


def _table(lines: str) -> dict[str, OperationDoc]:
    """Parse a table, by name.

    An entry is `name: title | sentence | pseudo-code`; the pseudo-code is optional. Indented lines
    continue the previous entry.
    """
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
    ("BaseDst", "the base address, advanced afterwards"),
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
    "flags8": "flags that choose accumulators",
    "rounding": "the way of rounding",
    "symbol16": "the value, or an address",
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
