"""What an instruction set is, and the registry of those in the folders of `ipu_asm/targets`.

Each folder there has `manifest.py`, all that start-up reads of a set, and `description.py`, whose
`load()` returns the `Isa`. Adding an instruction set changes nothing outside of its folder.
"""

from __future__ import annotations

import copyreg
import os
from functools import lru_cache
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Mapping

from ipu_asm.isa.manifest import Manifest

if TYPE_CHECKING:
    from ipu_asm.isa.model import Isa


DEFAULT_ISA: Final = "ipu"
"""The instruction set where nothing chooses another."""

_TARGETS: Final = "ipu_asm.targets"


class UnknownIsaError(LookupError):
    """The name of an instruction set that this version does not have."""


def manifests() -> Mapping[str, Manifest]:
    """Return the manifests by name, in alphabetical order."""
    return _manifests_in(target_folders())


def target_folders() -> tuple[str, ...]:
    """Return the folders that contain the instruction sets, one subfolder each."""
    return tuple(import_module(_TARGETS).__path__)


def target_module(name: str, module: str) -> ModuleType:
    """Import a module of an instruction set by its name in the folder of the set."""
    return import_module(f"{_TARGETS}.{name}.{module}")


@lru_cache(maxsize=4)
def _manifests_in(folders: tuple[str, ...]) -> Mapping[str, Manifest]:
    names = {
        entry.name
        for folder in folders
        for entry in os.scandir(folder)
        if PathFinder.find_spec("manifest", [entry.path])
    }
    return {name: target_module(name, "manifest").MANIFEST for name in sorted(names)}


def available_isas() -> list[str]:
    """Return the names of all instruction sets, in alphabetical order."""
    return list(manifests())


def load_isa(name: str, memory: str = "") -> Isa:
    """Return an instruction set, for the machine with that memory map if there are several.

    Raises `UnknownIsaError`, `IsaError` for an invalid description, and `TypeError` for a name that
    is not a string.
    """
    if not isinstance(name, str):
        found = type(name).__name__
        raise TypeError(f'expected the name of an instruction set, such as "ipu", found {found}')
    if memory:
        return _in_memory(load_isa(name), memory)
    available = available_isas()
    if name not in available:
        from ipu_asm.diagnostics.suggestions import nearest_of

        meant = nearest_of(name, available)
        known = f"did you mean `{meant}`?" if meant else f"there are {', '.join(available)}"
        raise UnknownIsaError(f"instruction set `{name}` is unknown; {known}")
    isa: Isa = target_module(name, "description").load()
    copyreg.pickle(type(isa), _reduced)
    return isa


def _reduced(isa: Isa) -> str | tuple[Any, ...]:
    """Pickle a set that `load_isa` knows by its name: it has the pages of all instructions."""
    if isa.name in available_isas():
        for arguments in ((isa.name, name) for name in ("", isa.memory.name if isa.memory else "")):
            if load_isa(*arguments) is isa:
                return load_isa, arguments
    return object.__reduce_ex__(isa, 2)


def isa_of(isa: str | Isa) -> Isa:
    """Return the instruction set of a name; an `Isa` is returned as it is.

    Raises the same errors as `load_isa`.
    """
    from ipu_asm.isa.model import Isa  # commands ask for manifests before they need a set

    return isa if isinstance(isa, Isa) else load_isa(isa)


@lru_cache(maxsize=8)
def _in_memory(isa: Isa, memory: str) -> Isa:
    return isa.in_memory(memory)
