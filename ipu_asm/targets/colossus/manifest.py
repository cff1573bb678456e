"""The manifest of Graphcore Colossus."""

from __future__ import annotations

from ipu_asm.isa import Manifest

MANIFEST = Manifest(
    title="Graphcore Colossus",
    language_id="colossus-asm",
    language_name="Graphcore Colossus Assembly",
    extensions=(".S",),
    has_machine_code=True,
    memories=("gc200", "gc2"),
    modifiers=("main", "aux"),
    # MIPS has a `$a0`, too, but no `$m0`. Headers without code test the driver's own names.
    signature=r"\$(?:m\d|mzero\b|azero\b|mvertex_base\b|mworker_base\b)|\b__IPU(?:_\w+)?__\b",
)
