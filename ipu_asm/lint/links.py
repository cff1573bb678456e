"""The link from a finding to the page about its rule, which comes with the package."""

from __future__ import annotations

import os
from functools import lru_cache


@lru_cache(maxsize=512)
def rule_link(rule_name: str) -> str | None:
    """The page of a rule as a `file:` URI; None where the pages are not installed."""
    path = os.path.join(pages_folder(), f"{rule_name}.md")
    if not os.path.isfile(path):
        return None
    from pathlib import Path  # slow to load, and few formats have links

    return Path(path).as_uri()


def pages_folder() -> str:
    """Where the pages are: in the installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    installed = os.path.join(package, "docs", "rules")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(package), "docs", "rules")
