"""Markdown pages for hover, one module per kind of syntax element."""
