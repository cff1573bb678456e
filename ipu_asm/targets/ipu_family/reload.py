"""Instruction sets that follow changes of their tables, as a user's own instruction makes."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Mapping

from ipu_asm.isa.model import Isa


def reloaded_on_change(
    table: Mapping[str, Mapping[str, Any]],
) -> Callable[[Callable[[], Isa]], Callable[[], Isa]]:
    """Cache the instruction set that a function builds until entries of its table change."""

    def decorate(build: Callable[[], Isa]) -> Callable[[], Isa]:
        loaded: dict[Any, Isa] = {}

        @wraps(build)
        def load() -> Isa:
            fingerprint = tuple(
                (slot, *entries, *map(id, entries.values())) for slot, entries in table.items()
            )
            if fingerprint not in loaded:
                loaded.clear()
                loaded[fingerprint] = build()
            return loaded[fingerprint]

        return load

    return decorate
