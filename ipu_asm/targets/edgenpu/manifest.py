"""The manifest of EdgeNPU."""

from __future__ import annotations

from ipu_asm.isa import Manifest

MANIFEST = Manifest(
    title="EdgeNPU",
    language_id="edgenpu-asm",
    language_name="EdgeNPU Assembly",
    extensions=(".edgenpu",),
    is_encodable=True,
    modifiers=("main", "activation", "weight"),
)
