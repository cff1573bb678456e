"""Document, range and on-type formatting.

The conventions of a file are those of most of its lines; only blanks that deviate change. Begin
with `formatting.py`.
"""
