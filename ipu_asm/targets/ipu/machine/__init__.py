"""The machine of the IPU: bit-exact, with a fault for every operation it cannot execute.

`state` holds the registers and the memory, `vectors` and `ipu` have one method for each
instruction, `ipu` the core's rows as well; `model` offers the machine to the tools.

`execute_fn` of an instruction names its method, whose keyword-only parameters are the names of the
operands. An operand marked `read` is passed as the value of the register, any other one as its
number. A method raises `InstructionError` if the instruction cannot be executed; the machine
then reverts the effects of the bundle.
"""
