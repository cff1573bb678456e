"""Texts that are hard on whoever counts lines and columns."""

from __future__ import annotations

from hypothesis import strategies as st

ODD = "ab;\t \n\r\f\v\x85\u2028\u2029\0\ufeff\u00e9\u0301\u4e2d\U0001f600\U0010ffff\ud83d\ude00"


def paired(text: str) -> str:
    """As texts arrive: of two surrogates that make a character, none is left."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def hard_texts(max_size: int = 30) -> st.SearchStrategy[str]:
    """Texts of all of these."""
    pieces = st.sampled_from([*ODD, "\r\n", "\n\r", "acc.first;;\n"])
    return st.lists(pieces, max_size=max_size).map("".join).map(paired)
