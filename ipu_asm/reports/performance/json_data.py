"""The performance report as data for JSON."""

from __future__ import annotations

from typing import Any

from ipu_asm.reports.performance.loops import LoopReport
from ipu_asm.reports.performance.memory import AccessReport
from ipu_asm.reports.performance.report import PerformanceReport


def report_data(report: PerformanceReport) -> dict[str, Any]:
    """Return the report as an object; numbers that are not known are null.

    Rows are those of the written file. `start` and `end` of an access are offsets in bytes from its
    `base`, the last one exclusive; `count` is the number of different offsets.
    """
    return {
        "cycles": report.cycles,
        "bundles": report.bundles,
        "loops": [_loop(loop) for loop in report.loops],
        "accesses": [_access(access) for access in report.accesses],
        "unknown": list(report.unknown),
    }


def _loop(loop: LoopReport) -> dict[str, Any]:
    return {
        "label": loop.label,
        "row": loop.row,
        "bundles": loop.bundles,
        "trips": {"least": loop.least, "most": loop.most},
        "cycles": loop.cycles,
        "bound": {each.slot: each.bundles for each in loop.pressure},
        "dependence": loop.dependence and loop.dependence.bundles,
    }


def _access(access: AccessReport) -> dict[str, Any]:
    return {
        "row": access.place.line,
        "mnemonic": access.mnemonic,
        "base": access.base.text,
        "start": access.first,
        "end": access.end,
        "count": access.distinct,
        "executions": access.executions,
    }
