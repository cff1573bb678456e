"""What the name of a label says about it."""

from __future__ import annotations

from ipu_asm.isa.model import Isa


def is_local(isa: Isa, label: str) -> bool:
    """Whether a label is of no interest outside of the function in which it stands."""
    surface = isa.surface
    if surface.numeric_labels and label.isdigit():
        return True
    return bool(surface.local_prefix) and label.startswith(surface.local_prefix)
