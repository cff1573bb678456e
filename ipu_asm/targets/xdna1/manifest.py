"""The manifest of XDNA1."""

from __future__ import annotations

from ipu_asm.isa import Manifest
from ipu_asm.targets.aie import LANGUAGE_ID, LANGUAGE_NAME, MODIFIERS

MANIFEST = Manifest(
    title="XDNA1",
    language_id=LANGUAGE_ID,
    language_name=LANGUAGE_NAME,
    extensions=(".aie", ".aie2"),
    has_machine_code=True,
    runs_machine_code=True,
    memory_size=1 << 20,
    modifiers=MODIFIERS,
)
