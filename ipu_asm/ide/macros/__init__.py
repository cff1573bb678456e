"""Macros in an editor: names, parameters, expansions."""
