"""Markdown pages for hover, one module per kind of syntax element.

A page says what the element does here: values, times, addresses and encodings. Begin with
`operand.py`.
"""
