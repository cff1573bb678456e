"""``python -m ipu_asm lint``, ``as``, ``run``, ``mca`` and ``fmt``: commands without scripts."""

from __future__ import annotations

import sys

from ipu_asm import __version__
from ipu_asm.start import load

_COMMANDS = {
    "lint": "ipu_asm.cli.lint.command",
    "as": "ipu_asm.cli.assembler.command",
    "run": "ipu_asm.cli.run.command",
    "mca": "ipu_asm.cli.mca.command",
    "fmt": "ipu_asm.cli.fmt",
}
_USAGE = """\
usage: python -m ipu_asm COMMAND ...

  lint   find mistakes in files and folders (same as `ipu-lint`)
  as     assemble, disassemble, or write the instruction reference (same as `ipu-as`)
  run    run a program in the emulator (same as `ipu-run`)
  mca    report cycles, loops and addresses of a program (same as `ipu-mca`)
  fmt    format files and folders (same as `ipu-fmt`)

`python -m ipu_asm COMMAND --help` shows the options of a command. The language server is
`python -m ipu_lsp`, the debug adapter `python -m ipu_lsp.debug_adapter`.

With `python -m`, Python imports modules from the current folder first. In a folder that you do not
trust, use the commands or `python -P -m ipu_asm`.
"""


def main() -> int:
    """Run the command that the first argument names."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in ("-h", "--help"):
        print(_USAGE, end="")
        return 0
    if name == "--version":
        print(f"ipu-asm {__version__}")
        return 0
    if name not in _COMMANDS:
        found = f"found `{name}`" if name else "found none"
        message = f"expected a command, lint, as, run, mca or fmt, {found}"
        print(f"python -m ipu_asm: error: {message}", file=sys.stderr)
        if not name:
            print(f"\n{_USAGE}", end="", file=sys.stderr)
        return 2
    status: int = load(_COMMANDS[name]).main(sys.argv[2:])
    return status


if __name__ == "__main__":
    sys.exit(main())
