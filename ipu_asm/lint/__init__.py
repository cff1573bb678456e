"""Lint: rules, their selection, and comments that suppress findings.

A rule is a file with its documentation, examples and check, discovered by its folder. Rules of one
set are in its folder below `targets`. Begin with `rule.py`.
"""
