"""What is known of an instruction set before its description is loaded."""

from __future__ import annotations

from typing import NamedTuple


class Manifest(NamedTuple):
    """The `MANIFEST` of `isa/<name>/manifest.py`: all that is read of a set at start-up.

    Files with one of the `extensions` are written in the set unless something else is said.
    `shared_extensions` are in use for other languages, too: editors open such files in the set's
    language, but they decide nothing. Sets may share a `language_id`; the first by name is meant
    where nothing else tells them apart.

    `is_encodable` tells whether the bits of its instructions are known, so that its programs are
    assembled here. `memories` are the memory maps among which a project may choose, the default
    one first. `modifiers` are names of slots and register files that have a colour of their own.
    """

    title: str
    language_id: str
    language_name: str
    extensions: tuple[str, ...]
    shared_extensions: tuple[str, ...] = ()
    is_encodable: bool = False
    memories: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
