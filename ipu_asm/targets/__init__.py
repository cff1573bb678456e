"""The instruction sets, one folder each, and what families share; `ipu_asm.isa` finds them."""
