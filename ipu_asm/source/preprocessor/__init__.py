"""The C preprocessor for assembly text, with the position of every character of its output.

Where a header is missing, conditions may be unknown, and one expansion is made for each branch.
Begin with `preprocess.py`.
"""
