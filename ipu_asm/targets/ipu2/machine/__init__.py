"""The machine of the IPU 2: bit-exact, with a fault for every operation it cannot execute.

`state` holds the registers (`registers`), the memory and the mode. The semantics are one method for
each instruction, by slot: `control` (break and cond), `lr`, `transfers` (load, store, acc_store),
`mult`, `acc` and `aggregates`, `aaq`. `ipu2` joins them, `model` offers them to the tools.

NaN: an operation that creates one creates 0x7FC00000; of NaN operands the first is propagated, and
made quiet. See `ipu_asm.emulator.words`.
"""
