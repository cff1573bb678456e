"""What a person types in the debug console: expressions, assignments, and a few commands.

    lr5        lr5 = 3        who acc[7]        when lr1 > 5        goto -100        dis loop 4

Where a label, or a name that the author gave, is called like a command, that name alone, and with
an operator or a format behind it, is the expression: of `when`, `when + 1` and `when,x` none is the
command. Anything else behind the word makes it the command; `who (lr5)` always does.
"""

from __future__ import annotations

from ipu_asm.debugger.console.answer import Answer
from ipu_asm.debugger.console.commands import COMMANDS, Command
from ipu_asm.debugger.console.completion import complete_command
from ipu_asm.debugger.console.console import Console
from ipu_asm.debugger.console.listing import BundleRow, rows

__all__ = ["COMMANDS", "Answer", "BundleRow", "Command", "Console", "complete_command", "rows"]
