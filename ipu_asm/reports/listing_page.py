"""A listing as a page: addresses, words and source, with links from branches to their labels."""

from __future__ import annotations

import re
from html import escape
from typing import Final, Iterable, Mapping

from ipu_asm.assembler.images import ListingRow

_LABEL: Final = re.compile(r"[\w.$]+")
_ROW: Final = re.compile(r"(?P<address> *\d+)(?P<word>: 0x[0-9a-f]+)?(?P<source>.*)", re.DOTALL)
_COMMENT: Final = re.compile(r"(?<=\S)\s+(?:#|//).*$|^\s*(?:#|//).*$")

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --dim: #667; --link: #0550ae; --mark: #fff3c4; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --dim: #8b949e; --link: #79b8ff; --mark: #4d3d00; }}
}}
body {{ margin: 1.5rem; font: 0.85rem/1.5 ui-monospace, monospace; }}
pre {{ margin: 0; font: inherit; }}
a {{ color: var(--link); text-decoration: none; }}
a:hover, a:focus {{ text-decoration: underline; }}
.dim {{ color: var(--dim); }}
span:target {{ background: var(--mark); }}
</style>
<pre>
{rows}
</pre>
</html>
"""


def listing_page(
    rows: Iterable[ListingRow], name: str, labels: Mapping[str, int], comment: str = "#"
) -> str:
    """Return the page of a listing.

    Each address is a target, `#a12` for address 12, and a link to itself. Each name of `labels` in
    the code of a row links to its address. `comment` is the mark in front of source lines.
    """
    given = [*rows]
    mark = max((row.text.find(comment) for row in given if row.address is not None), default=-1)
    seen = set[int]()
    shown = []
    for row in given:
        match = _ROW.match(row.text) if row.address is not None else None
        if match is not None and row.address is not None:
            target = f' id="a{row.address}"' if row.address not in seen else ""
            seen.add(row.address)
            address = f'<a href="#a{row.address}">{match["address"]}</a>'
            word = f'<span class="dim">{escape(match["word"] or "")}</span>'
            source = _linked(match["source"], labels, comment)
            shown.append(f"<span{target}>{address}{word}{source}</span>")
        elif row.line is not None and row.text.find(comment) == mark:
            shown.append(_linked(row.text, labels, comment))  # another line of a bundle
        else:
            shown.append(f'<span class="dim">{escape(row.text)}</span>')
    return _PAGE.format(title=escape(name), rows="\n".join(shown))


def _linked(source: str, labels: Mapping[str, int], comment: str) -> str:
    """Return the source of a row with links from labels; its comment is without."""
    mark = source.find(comment) + len(comment)
    found = _COMMENT.search(source, mark)
    end = found.start() if found else len(source)
    code = _LABEL.sub(lambda word: _link(word[0], labels), escape(source[mark:end], quote=False))
    rest = escape(source[end:])
    dim = f'<span class="dim">{rest}</span>' if rest else ""
    return f'<span class="dim">{escape(source[:mark])}</span>{code}{dim}'


def _link(word: str, labels: Mapping[str, int]) -> str:
    address = labels.get(word)
    return word if address is None else f'<a href="#a{address}">{word}</a>'
