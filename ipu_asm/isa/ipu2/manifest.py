"""The manifest of IPU 2."""

from __future__ import annotations

from ipu_asm.isa.ipu_family import LANGUAGE_ID, LANGUAGE_NAME
from ipu_asm.isa.manifest import Manifest

MANIFEST = Manifest(
    title="IPU 2",
    language_id=LANGUAGE_ID,
    language_name=LANGUAGE_NAME,
    extensions=(),
    is_encodable=True,
    modifiers=(
        "cond",
        "lr",
        "load",
        "mult",
        "acc",
        "aaq",
        "store",
        "acc_store",
        "break",
        "cr",
        "lrd",
        "mult_stage",
    ),
)
