"""Assembler macros, repetitions, conditions and symbols, as the GNU assembler expands them."""
