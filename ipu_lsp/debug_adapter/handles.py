"""The numbers under which a client knows what it can open, until the machine moves."""

from __future__ import annotations

from typing import Generic, Hashable, TypeVar

_T = TypeVar("_T", bound=Hashable)


class VariableReferences(Generic[_T]):
    """Numbers for things; none is given twice in a session, so an old one is never mistaken."""

    def __init__(self) -> None:
        self._things: dict[int, _T] = {}
        self._numbers: dict[_T, int] = {}
        self._next = 1

    def number(self, thing: _T) -> int:
        """The number of a thing, the same as long as the machine stands."""
        if thing not in self._numbers:
            self._numbers[thing] = self._next
            self._things[self._next] = thing
            self._next += 1
        return self._numbers[thing]

    def get(self, number: int) -> _T | None:
        """The thing with a number; None if it has gone or never was."""
        return self._things.get(number)

    def was_given(self, number: int) -> bool:
        """Whether a number has ever stood for something."""
        return 0 < number < self._next

    def clear(self) -> None:
        """Forget everything: the machine moves."""
        self._things.clear()
        self._numbers.clear()
