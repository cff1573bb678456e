"""Self-contained HTML pages from templates, which share their head and their style."""

from __future__ import annotations

import os
import re
from html import escape
from typing import Any, Final, Iterable, Iterator, Mapping

from ipu_asm.assembler.images import ListingRow
from ipu_asm.diagnostics.rendering import printable
from ipu_asm.isa.model import Isa
from ipu_asm.text import SourceFile


def html_page(folder: str, template: str, trim_blocks: bool = False, **values: Any) -> str:
    """Return the page of a template in `folder`, which may include the files beside this module.

    Values are escaped. What UTF-8 cannot write, such as bytes of a file name, is replaced.
    """
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder, os.path.dirname(__file__)]),
        autoescape=True,
        keep_trailing_newline=True,
        trim_blocks=trim_blocks,
    )
    page = environment.get_template(template).render(**values)
    return page.encode("utf-8", "replace").decode("utf-8")


_TAB = 4


def shown_lines(source: SourceFile, isa: Isa) -> Iterator[tuple[str, str]]:
    """Yield the code of each line and its comment, with blanks for tabs.

    An empty line at the end is left out.
    """
    count = len(source.lines.starts)
    for line in range(count):
        text = source.line_text(line).removeprefix("\ufeff")
        if line == count - 1 and not text:
            break
        shown = printable(text.expandtabs(_TAB))
        starts = (shown.find(mark) for mark in isa.surface.comments)
        comment = min((start for start in starts if start >= 0), default=len(shown))
        # A template's comment begins with its brace.
        comment -= shown[max(0, comment - 1) : comment + 1] == "{#"
        yield shown[:comment], shown[comment:]


_LABEL: Final = re.compile(r"[\w.$]+")
_ROW: Final = re.compile(
    r"(?P<address> *[0-9a-f]+)(?P<word>: (?:0x)?[0-9a-f]+)?(?P<source>.*)", re.DOTALL
)
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

_MARK = "#"
"""In front of source lines."""


def listing_page(rows: Iterable[ListingRow], name: str, labels: Mapping[str, int]) -> str:
    """Return the page of a listing.

    Each address is a target, `#a12` for address 12, and a link to itself. Each name of `labels` in
    the code of a row links to its address.
    """
    given = [*rows]
    mark = max((row.text.find(_MARK) for row in given if row.address is not None), default=-1)
    seen = set[int]()
    shown = []
    for row in given:
        match = _ROW.match(row.text) if row.address is not None else None
        if match is not None and row.address is not None:
            target = f' id="a{row.address}"' if row.address not in seen else ""
            seen.add(row.address)
            address = f'<a href="#a{row.address}">{match["address"]}</a>'
            word = f'<span class="dim">{escape(match["word"] or "")}</span>'
            source = _linked(match["source"], labels)
            shown.append(f"<span{target}>{address}{word}{source}</span>")
        elif row.line is not None and row.text.find(_MARK) == mark:
            shown.append(_linked(row.text, labels))  # another line of a bundle
        else:
            shown.append(f'<span class="dim">{escape(row.text)}</span>')
    return _PAGE.format(title=escape(name), rows="\n".join(shown))


def _linked(source: str, labels: Mapping[str, int]) -> str:
    """Return the source of a row with links from labels; its comment is without."""
    mark = source.find(_MARK) + len(_MARK)
    found = _COMMENT.search(source, mark)
    end = found.start() if found else len(source)
    code = _LABEL.sub(lambda word: _link(word[0], labels), escape(source[mark:end], quote=False))
    rest = escape(source[end:])
    dim = f'<span class="dim">{rest}</span>' if rest else ""
    return f'<span class="dim">{escape(source[:mark])}</span>{code}{dim}'


def _link(word: str, labels: Mapping[str, int]) -> str:
    address = labels.get(word)
    return word if address is None else f'<a href="#a{address}">{word}</a>'
