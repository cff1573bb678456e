"""The recorded programs of tests/data/vectors; what a record holds is in the README there."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "vectors"

Record = dict[str, Any]


@lru_cache(maxsize=2)
def records(kind: str) -> tuple[Record, ...]:
    """All records of one kind: encode, reject, exec, faults or break, `ipu2_` before them."""
    with gzip.open(
        FOLDER / f"{kind}_public.jsonl.gz", "rt", encoding="utf-8", newline="\n"
    ) as lines:
        return tuple(json.loads(line) for line in lines)


def words_of(record: Record) -> list[int]:
    """The words of a record's bundles."""
    return [int(word, 16) for word in record["words"]]
