"""Checks of the arguments of Python functions; errors name what was expected and what was found."""

from __future__ import annotations

from operator import index
from typing import Any


def whole_number(value: Any, name: str) -> int:
    """Return a whole number, which may be one of numpy, as an int. Raises TypeError."""
    __tracebackhide__ = True
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{name} is a whole number, found {type(value).__name__}") from None


def count(value: Any, name: str, least: int = 0) -> int:
    """Return a whole number of at least `least`. Raises TypeError and ValueError."""
    __tracebackhide__ = True
    number = whole_number(value, name)
    if number < least:
        raise ValueError(f"{name} is at least {least}, found {number}")
    return number


def require_callable(value: Any, name: str) -> None:
    """Raise TypeError for what is neither a function nor None."""
    __tracebackhide__ = True
    if value is not None and not callable(value):
        raise TypeError(f"{name} is a function, found {type(value).__name__}")
