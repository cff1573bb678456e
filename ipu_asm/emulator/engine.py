"""Engines: what executes the bundles of a machine, and which of them a user has chosen."""

from __future__ import annotations

import os
from enum import Enum
from typing import Final

VARIABLE: Final = "IPU_ENGINE"
"""The environment variable with the engine of machines for which none is chosen."""


class Engine(Enum):
    """An engine, or `auto` as a choice; the values are the names for users."""

    AUTO = "auto"
    """The core where there is one, once enough bundles were executed to pay for loading it."""
    CORE = "core"
    """A compiled interpreter; what it cannot execute is executed by numpy."""
    NUMPY = "numpy"
    """The methods of the machine."""


def engine_of(name: str) -> Engine:
    """Return the engine of a name. Raises ValueError for an unknown one."""
    try:
        return Engine(name)
    except ValueError:
        names = ", ".join(engine.value for engine in Engine)
        raise ValueError(f"an engine is one of {names}, found {name!r}") from None


def default_engine() -> Engine:
    """Return the engine that the environment chooses. Raises ValueError for an unknown name."""
    return engine_of(os.environ.get(VARIABLE) or Engine.AUTO.value)
