"""Checks of the arguments of Python functions; errors name what was expected and what was found."""

from __future__ import annotations

import os
from operator import index
from typing import Any, SupportsFloat, SupportsIndex


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


def real_number(value: Any, name: str) -> Any:
    """Return a number, which may be one of numpy, as it is. Raises TypeError."""
    __tracebackhide__ = True
    is_array = bool(getattr(value, "ndim", 0))
    if is_array or not isinstance(value, (SupportsFloat, SupportsIndex)):
        raise TypeError(f"{name} is a number, found {type(value).__name__}")
    return value


def truth_value(value: Any, name: str) -> bool:
    """Return True or False, which may be of numpy, as a bool. Raises ValueError."""
    __tracebackhide__ = True
    if isinstance(value, bool):
        return value
    import numpy as np

    if not isinstance(value, np.bool_):
        raise ValueError(f"{name} is True or False, found {value!r}")
    return bool(value)


def require_path(value: Any, what: str) -> None:
    """Raise TypeError for what is no path; `what` is the expectation."""
    __tracebackhide__ = True
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{what}, found {type(value).__name__}")


def require_callable(value: Any, name: str) -> None:
    """Raise TypeError for what is neither a function nor None."""
    __tracebackhide__ = True
    if value is not None and not callable(value):
        raise TypeError(f"{name} is a function, found {type(value).__name__}")
