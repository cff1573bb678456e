"""The start of commands: modules are loaded so that Ctrl-C shows no traceback."""

from __future__ import annotations

import signal
from importlib import import_module
from types import ModuleType


def load(name: str) -> ModuleType:
    """Import a module of a command; meanwhile Ctrl-C ends the process without a traceback."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:
        return import_module(name)
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # another thread than the first has no handlers
        return import_module(name)
    try:
        return import_module(name)
    finally:
        signal.signal(signal.SIGINT, before)


def run(name: str) -> int:
    """Run the command of a module; return its exit status."""
    status: int = load(name).main()
    return status
