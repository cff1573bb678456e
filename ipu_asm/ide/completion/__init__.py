"""Completion: the syntactic context of the cursor, and the proposals that fit it.

A context names the slots that are free and the operand at the cursor; proposals are ranked by what
the file uses nearby. Begin with `completion.py`.
"""
