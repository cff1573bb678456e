"""The commands `ipu-lint`, `ipu-as`, `ipu-run`, `ipu-fmt` and `ipu-mca`, one folder each.

`ipu-mcp` is a module. A folder has its options, and a `command.py` with `main`. What commands share
(paths, sources, colours, completion in shells) is beside them.
"""

from __future__ import annotations

from ipu_asm.start import run


def ipu_lint() -> int:
    return run("ipu_asm.cli.lint.command")


def ipu_as() -> int:
    return run("ipu_asm.cli.assembler.command")


def ipu_run() -> int:
    return run("ipu_asm.cli.run.command")


def ipu_mca() -> int:
    return run("ipu_asm.cli.mca.command")


def ipu_mcp() -> int:
    return run("ipu_asm.cli.mcp")


def ipu_fmt() -> int:
    return run("ipu_asm.cli.fmt")
