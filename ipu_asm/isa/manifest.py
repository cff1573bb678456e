"""The facts about an instruction set that are needed without loading its description."""

from __future__ import annotations

from typing import NamedTuple


class HostOption(NamedTuple):
    """What the host sets of a machine before a run, apart from registers and memory.

    `kind` is "choice", "flag", "integer" or "number". `name` is in snake case; command lines and
    launch configurations write it as they do their other options. `summary` is a phrase for help
    texts; numbers are from `least` to `most`, where these are given.
    """

    name: str
    kind: str
    summary: str
    choices: tuple[str, ...] = ()
    default: str | bool | int | float | None = None
    least: int | None = None
    most: int | None = None


class Manifest(NamedTuple):
    """The `MANIFEST` of `isa/<name>/manifest.py`, the only module that start-up reads of a set.

    A file with one of the `extensions` uses this set by default. `shared_extensions` also belong to
    other languages: editors open such files in the set's language, but they do not select the set.
    Sets may share a `language_id`; the first one by name is the default of that language.

    `is_encodable`: the encoding is known, so that programs can be assembled. `memories` are the
    memory maps that a project can select, the default first. `modifiers` are the slots and register
    files that are semantic token modifiers, to have colours of their own. `has_machine`: programs
    can be executed; `host_options` are what the host sets of that machine.
    """

    title: str
    language_id: str
    language_name: str
    extensions: tuple[str, ...]
    shared_extensions: tuple[str, ...] = ()
    is_encodable: bool = False
    memories: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    has_machine: bool = False
    host_options: tuple[HostOption, ...] = ()
