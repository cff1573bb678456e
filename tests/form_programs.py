"""Programs for the sets without a machine, as people and compilers write them."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).with_name("data") / "forms"


def _text(name: str) -> str:
    return (_FOLDER / name).read_bytes().decode()


PROGRAMS = {"xdna1": _text("xdna1.s"), "xdna2": _text("xdna2.s"), "colossus": _text("colossus.S")}
TEXTS = [*PROGRAMS.items(), ("colossus", _text("colossus_macros.S"))]
