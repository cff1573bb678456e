"""Compiles the cores of all sets: `python -m ipu_asm.emulator.core.build [--check]`.

The compiler is that of the package `ziglang`, in the version that the extra `core` names: another
one makes other bytes. With `--check` nothing is written; the exit status is 1 if a file is out of
date.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final, Sequence

_PACKAGE: Final = Path(__file__).resolve().parents[2]
_SHARED: Final = Path(__file__).resolve().parent
_OPTIONS: Final = (
    "-target", "wasm32-freestanding", "-mcpu=generic+simd128+relaxed_simd", "-ffp-contract=off",
    "-std=c11", "-O3",
    "-ffreestanding", "-fno-builtin", "-nostdlib", "-Wall", "-Wextra", "-Werror",
    "-Wl,--no-entry", "-Wl,--strip-all",
)  # fmt: skip
"""Without `bulk-memory`, whose copies are calls into the runtime that take as long as a bundle. Of
the relaxed operations the C files use those whose result is the same everywhere, so the compiler
must not make any from sums and products."""


def sources() -> list[Path]:
    """Return the main C file of each core."""
    return sorted(_PACKAGE.glob("targets/*/machine/core/core.c"))


def compiled(source: Path) -> bytes:
    """Return the module of a core. Raises CalledProcessError if it cannot be compiled."""
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder, "core.wasm")
        compiler = [sys.executable, "-m", "ziglang", "cc", *_OPTIONS]
        subprocess.run([*compiler, "-I", _SHARED, "-o", module, source], check=True)
        return module.read_bytes()


def main(arguments: Sequence[str]) -> int:
    """Write the modules, or compare them; return the exit status."""
    status = 0
    for source in sources():
        module = source.with_suffix(".wasm")
        content = compiled(source)
        if module.exists() and module.read_bytes() == content:
            continue
        if "--check" in arguments:
            status = 1
            print(f"{module}: out of date, run `make core`", file=sys.stderr)
        else:
            module.write_bytes(content)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
