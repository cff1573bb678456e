"""What every instruction does, slot by slot: one method for each.

A method is named by `execute_fn` of its instruction, and its keyword-only parameters are the names
of its operands. It gets values for operands that are marked `read`, numbers for all others; it
raises `Refusal` where the instruction cannot be executed. Undoing what the bundle has done by then
is the machine's business.
"""
