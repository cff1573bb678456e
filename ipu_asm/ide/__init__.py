"""Editor features, one module or package each, independent of any protocol.

A feature is a function from an `Analysis` and an offset to plain data with spans in code points.
The handlers of the server call it under the same name. Begin with `hover.py`.

Here are the kinds and families of what features answer, and what triggers them, which a server that
starts advertises without loading the features.
"""

from __future__ import annotations

from typing import Final

# Kinds of code actions.
QUICK_FIX: Final = "quickfix"
MOVE: Final = "refactor.move"
REWRITE: Final = "refactor.rewrite"
FIX_ALL: Final = "source.fixAll"
CODE_ACTION_KINDS: Final = (QUICK_FIX, MOVE, REWRITE, FIX_ALL)

# Families of code lenses, which settings turn on one by one.
REFERENCES: Final = "references"
LOOPS: Final = "loops"
EXPANSIONS: Final = "expansions"
LENS_FAMILIES: Final = (REFERENCES, LOOPS, EXPANSIONS)

# Families of inlay hints, likewise.
ADDRESSES: Final = "addresses"
IMMEDIATES: Final = "immediates"
TIME: Final = "time"
LANDINGS: Final = "landings"
VALUES: Final = "values"
TRIPS: Final = "trips"
CYCLES: Final = "cycles"
HINT_FAMILIES: Final = (ADDRESSES, IMMEDIATES, TIME, LANDINGS, VALUES, TRIPS, CYCLES)

ON_TYPE: Final = (";", "\n")
"""Characters that trigger on-type formatting."""
DEFAULT_HINTS: Final = frozenset((TRIPS,))
DEFAULT_LENSES: Final = frozenset((LOOPS,))
"""What is shown where nothing is set: what a loop costs."""
