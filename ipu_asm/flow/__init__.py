"""Control flow and data flow of a program, without executing it.

`accesses.py` says which registers an instruction reads and writes, and when; everything else asks
it. Folders hold the control run, counted loops, assertions and packing. Begin with `accesses.py`.
"""
