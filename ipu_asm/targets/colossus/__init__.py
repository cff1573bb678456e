"""Graphcore Colossus: a tile's main and aux pipelines, for all generations of the IPU.

Source: the vendor's instruction signatures, pipelines and execution modes, its assembler's tests,
and the "Writing vertices in assembly" document for memory and bundles. No emulator executes it.
"""
