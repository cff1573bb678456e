"""Editor features for macros: names, parameters, occurrences, completion, rename, hover pages.

A macro may be unknown where a header is missing, so each answer says whether it is certain. Begin
with `names.py`.
"""
