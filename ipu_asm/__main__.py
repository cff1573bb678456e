"""``python -m ipu_asm lint ...``, ``as ...`` and ``run ...``: the commands without scripts."""

from __future__ import annotations

import sys
from importlib import import_module

_COMMANDS = {"lint": "ipu_asm.cli.lint", "as": "ipu_asm.cli.assembler", "run": "ipu_asm.cli.run"}


def main() -> int:
    """Run the command that the first argument names."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in _COMMANDS:
        found = f"found `{name}`" if name else "found none"
        message = f"expected a command, lint, as or run, {found}"
        print(f"python -m ipu_asm: error: {message}", file=sys.stderr)
        return 2
    status: int = import_module(_COMMANDS[name]).main(sys.argv[2:])
    return status


if __name__ == "__main__":
    sys.exit(main())
