"""What is shown: scopes with items, and groups that open to more of them. Plain values."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ipu_asm.debugger.expressions import Place


class GroupKind(Enum):
    """What a group opens to."""

    SCOPE = "the items of a scope"
    CHANGES = "everything that the last step changed"
    ROWS = "rows of 16 elements"
    ELEMENTS = "single elements"


class Computed(NamedTuple):
    """Some of the values that an expression computes."""

    text: str
    first: int
    length: int


class Group(NamedTuple):
    """Something that opens to items.

    Rows and elements are those of a place, or of values that were computed. `notation` is what the
    user asked for when the group was made; it outweighs that of a request.
    """

    kind: GroupKind
    name: str = ""
    place: Place | None = None
    computed: Computed | None = None
    notation: str | None = None


class Item(NamedTuple):
    """One line: a name, a value, and what it opens to.

    `expression` evaluates to it and, if it is writable, is where values go; "" if there is none.
    `kind` is one of data (registers and elements), virtual (rows and ranges made up for reading)
    and property (what describes the machine or was computed).
    """

    name: str
    value: str
    type: str = ""
    expression: str = ""
    group: Group | None = None
    named: int = 0
    indexed: int = 0
    place: Place | None = None
    is_writable: bool = False
    kind: str = "data"


class Scope(NamedTuple):
    """A heading with items below. `hint` is `registers` for the registers to look at first."""

    name: str
    group: Group
    named: int
    indexed: int = 0
    is_expensive: bool = False
    hint: str = ""
