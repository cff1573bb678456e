"""Parsing of one bundle: from tokens to instructions, slots, operands and values.

Each instruction takes a form of its mnemonic and a slot; each operand is parsed by its type. A
bundle with mistakes is parsed a second time for the messages. Begin with `parser.py`.
"""
