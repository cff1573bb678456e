"""Parsing of one bundle: from tokens to instructions, slots, operands and values."""
