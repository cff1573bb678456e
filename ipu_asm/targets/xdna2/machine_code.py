"""Machine code of XDNA2, read from `encodings.txt`."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ipu_asm.targets.aie.encodings import AieMachineCode
from ipu_asm.targets.xdna2 import description


@lru_cache(maxsize=1)
def load() -> AieMachineCode:
    """Return the encoding of the set."""
    text = Path(__file__).with_name("encodings.txt").read_text(encoding="utf-8")
    return AieMachineCode(description.load(), text)
