"""The command `ipu-run`.

Options name registers and data; the kernel is executed, its results are compared, printed and
written, and the way it ended decides the exit status. Begin with `command.py`, then `execution.py`.
"""
