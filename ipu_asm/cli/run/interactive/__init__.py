"""`ipu-run --interactive`: the debugger in the terminal.

A line is a command of `commands.py`, one of the debug console, or an expression. Commands come from
a terminal (`terminal.py`, the only module that loads prompt_toolkit), a file or a pipe.
"""
