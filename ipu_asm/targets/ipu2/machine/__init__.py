"""The machine of the IPU 2: bit-exact, with a fault for every operation it cannot execute.

`state` holds the registers, the memory and the mode; `mult`, `acc` (with aaq) and `ipu2` have one
method for each instruction, `ipu2` the rows of the core too; `model` is what the tools use.

NaN: an operation that creates one creates 0x7FC00000; of NaN operands the first is propagated, and
made quiet. See `ipu_asm.emulator.words`.
"""
