"""Generated pages: instruction reference, profile, listing, rules, grammars of editors.

Each is a pure function of an instruction set or a program to text. `make generate` writes those
that are kept in the repository. Begin with `reference.py`.
"""
