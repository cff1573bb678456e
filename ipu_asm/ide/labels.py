"""Classification of labels by name."""

from __future__ import annotations

from ipu_asm.isa.model import Isa


def is_local(isa: Isa, label: str) -> bool:
    """Check whether a label is local to its function."""
    surface = isa.surface
    if surface.numeric_labels and label.isdigit():
        return True
    return bool(surface.local_prefix) and label.startswith(surface.local_prefix)
