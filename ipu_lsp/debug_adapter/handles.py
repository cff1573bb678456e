"""`variablesReference` numbers, valid until the machine moves."""

from __future__ import annotations

from typing import Generic, Hashable, TypeVar

_T = TypeVar("_T", bound=Hashable)


class VariableReferences(Generic[_T]):
    """Numbers for objects. No number is reused in a session, so that a stale one is detected."""

    def __init__(self) -> None:
        self._things: dict[int, _T] = {}
        self._numbers: dict[_T, int] = {}
        self._next = 1

    def number(self, thing: _T) -> int:
        """Return the number of an object, the same one until the machine moves."""
        if thing not in self._numbers:
            self._numbers[thing] = self._next
            self._things[self._next] = thing
            self._next += 1
        return self._numbers[thing]

    def get(self, number: int) -> _T | None:
        """Return the object of a number; None if it is stale or unknown."""
        return self._things.get(number)

    def was_given(self, number: int) -> bool:
        """Return whether a number has ever been assigned."""
        return 0 < number < self._next

    def clear(self) -> None:
        """Forget all objects: the machine moves."""
        self._things.clear()
        self._numbers.clear()
