"""Instruction sets: what one is (`model`), how one is proven (`build`), and the packages of data.

A package of data is a folder here whose `__init__` has `load() -> Isa`.
"""

from __future__ import annotations

import os
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


class UnknownIsaError(LookupError):
    """A name that stands for no instruction set of this version."""


def available_isas() -> list[str]:
    """The names of the instruction sets that this version knows."""
    folder = os.path.dirname(__file__)
    return [name for name in EXTENSIONS if os.path.isfile(f"{folder}/{name}/__init__.py")]


def load_isa(name: str) -> Isa:
    """The instruction set of that name. Raises `UnknownIsaError`, `IsaError` for broken data."""
    available = available_isas()
    if name not in available:
        state = "is not part of this version" if name in EXTENSIONS else "is unknown"
        meant = nearest_of(name, available)
        known = f"did you mean `{meant}`?" if meant else f"there are {', '.join(available)}"
        raise UnknownIsaError(f"instruction set `{name}` {state}; {known}")
    isa: Isa = import_module(f"ipu_asm.isa.{name}").load()
    return isa
