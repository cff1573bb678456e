"""Assertions in comments: what authors state about a program, and whether it holds.

Comments are parsed with their scopes, checked against the control run while typing, and left to
runs where data decide. Begin with `syntax.py`.
"""
