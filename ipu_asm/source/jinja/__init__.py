"""Jinja templates: rendering with exact positions.

A template is compiled by Jinja with a code generator that keeps the origin of each output, and runs
in a sandbox with limits of time and size. Begin with `template.py`.
"""
