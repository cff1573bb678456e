"""Assembler macros, repetitions, conditions and symbols, as the GNU assembler expands them.

Statements are expanded one by one; what is unknown stays in the text. Begin with
`expand_macros.py`.
"""
