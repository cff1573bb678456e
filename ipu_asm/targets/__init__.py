"""The instruction sets, one folder each, and what families share; `ipu_asm.isa` finds them.

A folder has a manifest, which is all that start-up reads, a description, and where they exist
operand types, rules and a machine. Nothing below imports from here. Begin with
`edgenpu/description.py`, the smallest.
"""
