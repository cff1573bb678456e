"""Instruction sets: what one is (`model`), how one is proven (`build`), and the packages of data.

A package of data is a folder here whose `__init__` has `load() -> Isa`.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ipu_asm.isa.model import Isa

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
    folder = Path(__file__).parent
    return [name for name in EXTENSIONS if (folder / name / "__init__.py").is_file()]


def load_isa(name: str) -> Isa:
    """The instruction set of that name. Raises `UnknownIsaError`, `IsaError` for broken data."""
    if name not in available_isas():
        known = ", ".join(available_isas())
        state = "is not part of this version" if name in EXTENSIONS else "is unknown"
        raise UnknownIsaError(f"instruction set `{name}` {state}; there are {known}")
    isa: Isa = import_module(f"ipu_asm.isa.{name}").load()
    return isa
