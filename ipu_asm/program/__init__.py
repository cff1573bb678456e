"""Bundles as a program: addresses, labels, references, line table, and reuse across edits.

A `Program` is made from bundles and, after an edit, from the program before it. Results that depend
on the whole program are cached with it. Begin with `build.py`.
"""
