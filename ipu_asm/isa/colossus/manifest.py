"""The manifest of Graphcore Colossus."""

from __future__ import annotations

from ipu_asm.isa.manifest import Manifest

MANIFEST = Manifest(
    title="Graphcore Colossus",
    language_id="colossus-asm",
    language_name="Graphcore Colossus Assembly",
    extensions=(".S",),
    memories=("gc200", "gc2"),
    modifiers=("main", "aux"),
)
