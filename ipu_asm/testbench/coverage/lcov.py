"""Coverage in the format of lcov, which CI services, editors and `genhtml` read."""

from __future__ import annotations

import os
from typing import Iterator, Mapping

from ipu_asm.testbench.coverage.model import Coverage, LineCoverage, files_of


def lcov_text(coverage: Coverage, root: str | None = None) -> str:
    """Return an lcov tracefile, with a record for each file that has bundles.

    Paths below `root`, by default the current directory, are relative to it, as tools want them
    that run there.
    """
    base = os.path.abspath(root or ".")
    files = sorted(files_of(coverage.kernels.values()).items())
    records = (_record(shown_path(path, base), lines) for path, lines in files if lines)
    return "".join(f"{line}\n" for record in records for line in record)


def shown_path(path: str, base: str) -> str:
    """Return a path as it is shown: relative to a folder that it is in, with slashes."""
    inside = path.startswith(base.rstrip(os.sep) + os.sep)
    return (os.path.relpath(path, base) if inside else path).replace(os.sep, "/")


def _record(name: str, lines: Mapping[int, LineCoverage]) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{name}"
    branches = [
        f"BRDA:{number},{block},{way},{count if outcomes.is_executed else '-'}"
        for number, line in lines.items()
        for block, (_, outcomes) in enumerate(line.branches)
        for way, count in enumerate(outcomes)
    ]
    yield from branches
    yield f"BRF:{len(branches)}"
    yield f"BRH:{sum(not each.endswith((',0', ',-')) for each in branches)}"
    yield from (f"DA:{number},{line.executions}" for number, line in lines.items())
    yield f"LF:{len(lines)}"
    yield f"LH:{sum(line.executions > 0 for line in lines.values())}"
    yield "end_of_record"
