"""Self-contained HTML pages from templates, which share their head and their style."""

from __future__ import annotations

import os
from typing import Any


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
