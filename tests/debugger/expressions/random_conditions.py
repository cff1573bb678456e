"""Random conditions on a machine, of all that expressions have."""

from __future__ import annotations

from random import Random
from typing import Final

SCALARS: Final = ("lr0", "lr1", "lr5", "LR7", "cr3", "u32(lr6)", "f32(cr2)", "pc", "cycle", "note")
NUMBERS: Final = (
    "0", "1", "-1", "3", "7", "128", "0x7fffffff", "1 << 40", "2.5", "nan", "inf", "at",
)  # fmt: skip
VECTORS: Final = (
    "acc", "mult_res", "acc[0..7]", "f32(acc)", "f32(mult_res)[120..127]", "r0[3..10]",
    "u8(r1)", "xmem[0 .. +8]", "xmem[lr1 .. +4]", "xmem[cr1 - 64 .. +3 : i16]",
    "i16(cyclic)[9..20]",
)  # fmt: skip
ELEMENTS: Final = (
    "acc[5]", "r0[3]", "mask[2][5]", "mask[1]", "xmem[lr0]", "xmem[lr1 * 4 : u32]",
    "xmem[lr5 & 0xfff : f32]", "xmem[4096]", "f32(acc)[7]", "r0[lr1]",
)  # fmt: skip
SIGNS: Final = ("+", "-", "*", "//", "%", "/", "&", "|", "^", "<<", ">>", "**")
COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
FOLDS: Final = ("sum", "min", "max", "any", "all", "count", "nan_count", "len", "argmax")
NAMES: Final = {"note": "lr3 + 1", "at": "4"}
"""Register notes that conditions use."""


def random_condition(rng: Random) -> str:
    """A condition, mostly of a single value."""
    kind = rng.randrange(9)
    if kind < 2:
        sign = rng.choice(("and", "or", "&&", "||"))
        return f"{random_condition(rng)} {sign} {random_condition(rng)}"
    if kind == 2:
        return f"not ({random_condition(rng)})"
    if kind == 3:
        return f"{_value(rng, 2)} in {rng.choice(('0..127', '[1, 2, 128]', '-5..5'))}"
    if kind == 4:
        return f"{rng.choice(('any', 'all'))}({_vector(rng, 1)} {_compare(rng)} {_value(rng, 1)})"
    return f"{_value(rng, 2)} {_compare(rng)} {_value(rng, 2)}"


def _compare(rng: Random) -> str:
    return rng.choice(COMPARISONS)


def _value(rng: Random, depth: int) -> str:
    kind = rng.randrange(4 + 5 * bool(depth))
    if kind < 2:
        return rng.choice(SCALARS)
    if kind < 4:
        return rng.choice(NUMBERS if kind == 2 else ELEMENTS)
    if kind == 4:
        return f"{rng.choice(('abs', 'int', 'float', '-', '~', '+'))}({_value(rng, depth - 1)})"
    if kind == 5:
        one, other = _value(rng, depth - 1), _value(rng, depth - 1)
        return f"({one} {_compare(rng)} {other} ? {other} : {one})"
    if kind == 6:
        return f"{rng.choice(FOLDS)}({_vector(rng, depth - 1)})"
    return f"({_value(rng, depth - 1)} {rng.choice(SIGNS)} {_value(rng, depth - 1)})"


def _vector(rng: Random, depth: int) -> str:
    if not depth or rng.random() < 0.5:
        return rng.choice(VECTORS)
    if rng.random() < 0.3:
        return f"abs({_vector(rng, depth - 1)})"
    other = _vector(rng, 0) if rng.random() < 0.3 else _value(rng, depth - 1)
    return f"({_vector(rng, depth - 1)} {rng.choice((*SIGNS, *COMPARISONS, 'and'))} {other})"
