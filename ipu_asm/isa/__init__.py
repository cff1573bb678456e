"""Instruction sets: what one is (`model`), how one is proven (`build`), and the packages of data.

A package of data is a folder here whose `__init__` has `load() -> Isa`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module

from ipu_asm.isa.model import Isa
from ipu_asm.spelling import nearest_of

# Every name that the contracts reserve, with the file extensions that stand for it. Those whose
# package is not part of this version are refused by name, not mistaken for another set.
EXTENSIONS = {
    "ipu": (".ipu",),
    "edgenpu": (".edgenpu",),
    "xdna1": (".aie", ".aie2"),
    "xdna2": (".aie2p",),
    "colossus": (".S",),
}

# The language ids by which editors name them. Of several sets with one id the first is meant where
# nothing else tells them apart.
LANGUAGES = {
    "ipu": "ipu-asm",
    "edgenpu": "edgenpu-asm",
    "xdna1": "aie-asm",
    "xdna2": "aie-asm",
    "colossus": "colossus-asm",
}

# The memories among which a project may choose, by the set whose machines have them; the first one
# counts where it does not.
MEMORIES = {"colossus": ("gc200", "gc2")}

# The sets whose instructions have words: their programs are assembled here and nowhere else.
WITH_WORDS = ("ipu", "edgenpu")


class UnknownIsaError(LookupError):
    """A name that stands for no instruction set of this version."""


def available_isas() -> list[str]:
    """The names of the instruction sets that this version knows."""
    return [name for name in EXTENSIONS if _is_installed(name)]


def _is_installed(name: str) -> bool:
    return any(os.path.isfile(f"{folder}/{name}/__init__.py") for folder in __path__)


def load_isa(name: str, memory: str = "") -> Isa:
    """The instruction set of that name, for the machine with that memory if there are several.

    Raises `UnknownIsaError`, `IsaError` for broken data, and `TypeError` for what is no name.
    """
    if not isinstance(name, str):
        found = type(name).__name__
        raise TypeError(f'expected the name of an instruction set, such as "ipu", found {found}')
    if memory:
        return _in_memory(load_isa(name), memory)
    available = available_isas()
    if name not in available:
        state = "is not part of this version" if name in EXTENSIONS else "is unknown"
        meant = nearest_of(name, available)
        known = f"did you mean `{meant}`?" if meant else f"there are {', '.join(available)}"
        raise UnknownIsaError(f"instruction set `{name}` {state}; {known}")
    isa: Isa = import_module(f"ipu_asm.isa.{name}").load()
    return isa


def isa_of(isa: str | Isa) -> Isa:
    """The instruction set of a name, or the one that is given instead of its name.

    Raises what `load_isa` raises.
    """
    return isa if isinstance(isa, Isa) else load_isa(isa)


@lru_cache(maxsize=8)
def _in_memory(isa: Isa, memory: str) -> Isa:
    return isa.in_memory(memory)
