"""Expansion of templates, includes and macros, with a map from its text to the written files.

One function makes the expansions of a text; three expanders do it, a folder each. Findings of an
expansion are lifted to what was written. Begin with `expand.py`.
"""
