"""Syntax: text to bundle slices, and slices to tokens with their roles.

A slice is parsed by its shape, the kinds of its tokens, with tables that Lark has made from
`grammars`. Begin with `grammar.py`.
"""
