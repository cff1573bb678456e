"""What a run of machine code has executed: a trace, a profile and the coverage of its source."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any, Sequence

from ipu_asm.config.files import FileError
from ipu_asm.emulator.code_program import CodeProgram
from ipu_asm.source.source_map import MAIN
from ipu_asm.testbench.coverage.formats import coverage_page, lcov_text
from ipu_asm.testbench.coverage.model import Coverage, KernelCoverage, Place, WrittenBundle
from ipu_asm.text import SourceFile


class ExecutedPath:
    """The addresses of the bundles that a run has executed, in their order."""

    def __init__(self, program: CodeProgram, path: Sequence[int], source: SourceFile) -> None:
        self._program = program
        self._path = path
        self._source = source
        self._counts = Counter(path)

    def trace(self, last: int) -> str:
        """Return the last bundles as a Chrome trace: one track for each slot."""
        slots = [slot.name for slot in self._program.isa.slots]
        events: list[dict[str, Any]] = [
            {"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": slot}}
            for number, slot in enumerate(slots, 1)
        ]
        first = max(len(self._path) - last, 0)
        for cycle, pc in enumerate(self._path[first:], first):
            unit = self._program.unit_at(pc)
            place = self._program.place(pc)
            about = {"pc": pc, **({"line": place.line} if place else {})}
            for each in unit.instructions if unit else ():
                if not each.form.nop:
                    text = " ".join((each.mnemonic, ", ".join(each.operands))).strip()
                    track = slots.index(each.form.slot) + 1
                    events.append({"ph": "X", "pid": 1, "tid": track, "ts": cycle, "dur": 1,
                                   "name": text, "args": about})  # fmt: skip
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}) + "\n"

    def profile(self) -> str:
        """Return how often bundles and lines were executed, and how busy the units were."""
        bundles, lines = [], Counter[int]()
        busy: Counter[str] = Counter()
        units = {slot.name: slot.units for slot in self._program.isa.slots}
        for pc, count in sorted(self._counts.items()):
            unit, place = self._program.unit_at(pc), self._program.place(pc)
            used = [each for each in (unit.instructions if unit else ()) if not each.form.nop]
            for each in used:
                busy.update(dict.fromkeys(units[each.form.slot], count))
            if place is not None:
                lines[place.line] += count
            bundles.append({
                "pc": pc, "line": place and place.line, "bundles": count,
                "instructions": [" ".join((e.mnemonic, ", ".join(e.operands))) for e in used],
            })  # fmt: skip
        total = len(self._path)
        result = {
            "program": self._source.path,
            "bundles_executed": total,
            "units": {
                unit: {"bundles": count, "share": round(count / total, 6)}
                for unit, count in sorted(busy.items())
            },
            "lines": [{"line": line, "bundles": count} for line, count in sorted(lines.items())],
            "bundles": bundles,
        }
        return json.dumps(result, indent=1) + "\n"

    def lcov(self) -> str:
        """Return the coverage for lcov. Raises `FileError` for what is no source file."""
        coverage = Coverage()
        coverage.add(self._covered())
        return lcov_text(coverage)

    def coverage_page(self) -> str:
        """Return the coverage as a page. Raises `FileError` for what is no source file."""
        covered = self._covered()
        message = f"one run of {len(self._path):,} bundles"
        return coverage_page(covered, message=message, sources={covered.path: self._source})

    def _covered(self) -> KernelCoverage:
        if not os.path.isfile(self._source.path) or self._program.lines is None:
            raise FileError("coverage counts the lines of a source, and this is none",
                            self._source.path)  # fmt: skip
        path = os.path.abspath(self._source.path)
        found = KernelCoverage(path, self._program.isa.name)
        found.runs = 1
        for pc in sorted(self._program.bundles):
            place = self._program.place(pc)
            if place is not None:
                file = path if place.path == MAIN else os.path.abspath(place.path)
                lines = tuple((file, line) for line in range(place.line, place.end_line + 1))
                written = WrittenBundle(Place(file, place.line, 1), lines)
                found.add_bundle(written, self._counts[pc])
        return found
