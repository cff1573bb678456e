"""Snippets of completion, as a user accepts them."""

from __future__ import annotations

import re


def accepted(snippet: str) -> str:
    """A snippet with the default of each placeholder."""
    text = re.sub(r"\$\{\d+\|(.*?)[,|].*?\}", r"\1", snippet)
    text = re.sub(r"\$\{\d+:(.*?)\}", r"\1", text)
    return re.sub(r"\\(.)", r"\1", text)
