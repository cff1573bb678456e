"""The manifest of the IPU."""

from __future__ import annotations

from ipu_asm.isa.manifest import Manifest

MANIFEST = Manifest(
    title="IPU",
    language_id="ipu-asm",
    language_name="IPU Assembly",
    extensions=(".ipu",),
    shared_extensions=(".s", ".asm"),
    is_encodable=True,
    modifiers=("xmem", "lr", "mult", "acc", "aaq", "cond", "break", "cr", "mult_stage"),
)
