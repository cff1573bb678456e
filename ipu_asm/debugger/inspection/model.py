"""Data model of the variables view: scopes contain items, and groups contain more items."""

from __future__ import annotations

from enum import Enum

from ipu_asm.debugger.expressions import Location
from ipu_asm.named_tuple import NamedTuple


class GroupKind(Enum):
    """The items that a group contains."""

    SCOPE = "the items of a scope"
    CHANGES = "everything that the last step changed"
    ROWS = "rows of 16 elements"
    ELEMENTS = "single elements"


class Computed(NamedTuple):
    """A part of the values of an expression: `length` of them from index `first` on."""

    text: str
    first: int
    length: int


class Group(NamedTuple):
    """A container of items.

    Rows and elements are those of a `location` or of `computed` values. `notation` is the one that
    the user requested when the group was created; it overrides that of a request.
    """

    kind: GroupKind
    name: str = ""
    location: Location | None = None
    computed: Computed | None = None
    notation: str | None = None


class Item(NamedTuple):
    """One line of the view: name, value, and the group it contains.

    `expression` evaluates to the value and, if `is_writable`, can be assigned to; "" if there is
    none. `named` and `indexed` count the group's items with a name and those with an index. `kind`
    is data (registers and elements), virtual (rows and ranges that exist only in the view) or
    property (machine state and computed values).
    """

    name: str
    value: str
    type: str = ""
    expression: str = ""
    group: Group | None = None
    named: int = 0
    indexed: int = 0
    location: Location | None = None
    is_writable: bool = False
    kind: str = "data"


class Scope(NamedTuple):
    """A top-level heading. `hint` is `registers` for the scope to show first."""

    name: str
    group: Group
    named: int
    indexed: int = 0
    is_expensive: bool = False
    hint: str = ""
