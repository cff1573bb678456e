"""The commands `ipu-lint`, `ipu-as`, `ipu-run`, `ipu-fmt` and `ipu-mca`, one folder each.

A folder has its options, and a `command.py` with `main`. What commands share (paths, sources,
colours, completion in shells) is beside them.
"""
