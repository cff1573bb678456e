"""Editor features for names that expansion replaces, defined in any of the files it has read.

A name is looked up in the file by itself and in the files that include it. Begin with `lookup.py`.
"""
