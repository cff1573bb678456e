"""Shared by both generations of AI Engines: syntax, operand types and documentation of forms.

A bundle is one source line with at most one operation for each of six units. Source:
"Instruction Set Architecture" of XDNA1 and XDNA2, and the vendor's compiler where they differ.
There is no encoding and no emulator.
"""
