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

from ipu_asm.named_tuple import NamedTuple

if TYPE_CHECKING:
    from ipu_asm.isa.model import Isa


class HostOption(NamedTuple):
    """What the host sets of a machine before a run, apart from registers and memory.

    `name` is in snake case; `kind` is "choice", "flag", "integer" or "number". `summary` is a
    phrase for help texts. Numbers are from `least` to `most`, where these are given. The number of
    a choice is written to `register`, if there is one.
    """

    name: str
    kind: str
    summary: str
    choices: tuple[str, ...] = ()
    default: str | bool | int | float | None = None
    least: int | None = None
    most: int | None = None
    register: str = ""

    @property
    def argument(self) -> str:
        """The option of command lines, such as `--aaq-shift`."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def field(self) -> str:
        """The field of launch configurations, such as `aaqShift`."""
        first, *words = self.name.split("_")
        return first + "".join(map(str.capitalize, words))

    def choice(self, text: str) -> str | None:
        """Return the choice that a text in any case means; None if there is none."""
        return next((each for each in self.choices if each.lower() == text.lower()), None)


class Manifest(NamedTuple):
    """The `MANIFEST` of `isa/<name>/manifest.py`, the only module that start-up reads of a set.

    A file with one of the `extensions` uses this set by default. `shared_extensions` also belong to
    other languages: editors open such files in the set's language, but they do not select the set.
    Sets may share a `language_id`; the first one by name is the default of that language.

    `is_encodable`: programs are assembled to words of one size; `has_machine_code`: to units of
    code of different sizes, by `machine_code.py` in the folder of the set. `memories` are the
    memory maps that a project can select, the default first. `modifiers` are the slots and register
    files that are semantic token modifiers, to have colours of their own. `telltales` are mnemonics
    in lower case that no other set of the language has, and no habit from elsewhere. `signature` is
    a regular expression, in the syntax that Python and JavaScript share, that matches in files of
    this set alone; editors need it where they confuse its extension with another. `has_machine`:
    programs can be executed, with `memory_size` bytes of memory; `host_options` are what the host
    sets of that machine. `runs_machine_code`: programs are executed from their
    units of code, by the machine in `machine/model.py`.
    """

    title: str
    language_id: str
    language_name: str
    extensions: tuple[str, ...]
    shared_extensions: tuple[str, ...] = ()
    is_encodable: bool = False
    has_machine_code: bool = False
    memories: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    telltales: frozenset[str] = frozenset()
    signature: str = ""
    has_machine: bool = False
    runs_machine_code: bool = False
    memory_size: int = 0
    host_options: tuple[HostOption, ...] = ()


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
