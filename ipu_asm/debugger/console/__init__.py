"""The debug console: expressions, assignments, and a few commands.

    lr5        lr5 = 3        who acc[7]        when lr1 > 5        goto -100        dis loop 4

A label or register note may have the same name as a command. Alone, or followed by an operator or a
format, that name is an expression: `when`, `when + 1` and `when,x` do not call the command.
Followed by anything else it calls the command, as `who (lr5)` always does.
"""

from __future__ import annotations

from ipu_asm.debugger.console.command import Command, CommandResult
from ipu_asm.debugger.console.commands import COMMANDS, TABLE, Console
from ipu_asm.debugger.console.listing import BundleRow, rows

__all__ = ["COMMANDS", "TABLE", "BundleRow", "Command", "CommandResult", "Console", "rows"]
