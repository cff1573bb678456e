"""Semantics of the instructions, slot by slot: one method for each.

`execute_fn` of an instruction names its method, whose keyword-only parameters are the names of the
operands. An operand marked `read` is passed as the value of the register, any other one as its
number. A method raises `InstructionError` if the instruction cannot be executed; the machine
then reverts the effects of the bundle.
"""
