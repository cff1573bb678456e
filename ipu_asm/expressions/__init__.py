"""Expressions about a machine: text to syntax tree, and arithmetic on numbers.

Assertions in comments, conditions of breakpoints and the console share this syntax; each evaluates
the tree with its own values. Begin with `parser.py`.
"""
