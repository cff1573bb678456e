"""Symbols: what a cursor can name, a class for each kind with the verbs of `base.Symbol`."""
