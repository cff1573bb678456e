"""The output of `ipu-run --profile`: an HTML page for people or JSON for programs."""

from __future__ import annotations

import json
import os
from typing import Any

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.run.execution import RunOutcome
from ipu_asm.emulator.profile import HOTTEST, BundleUse, LoopUse, Profile, SlotUse, profile_of
from ipu_asm.emulator.stops import describe_stop


def profile_file(path: str, kernel: Kernel, outcome: RunOutcome) -> str:
    """Return the content of a profile; the extension of `path` selects HTML or JSON."""
    assert outcome.recording is not None
    profile = profile_of(outcome.recording, kernel.words, kernel.isa, kernel.lines)
    if os.path.splitext(path)[1].lower() == ".json":
        return json.dumps(_as_data(profile, kernel, outcome), indent=1) + "\n"
    from ipu_asm.reports.profile_page import profile_page

    return profile_page(profile, kernel.source, outcome.stop, kernel.isa)


def _as_data(profile: Profile, kernel: Kernel, outcome: RunOutcome) -> dict[str, Any]:
    return {
        "program": kernel.name,
        "stopped": outcome.stop.reason.value,
        "message": describe_stop(outcome.stop),
        "cycles": profile.cycles,
        "seconds": round(outcome.seconds, 6),
        "cycles_per_second": round(outcome.cycles_per_second),
        "slots": [_slot(use) for use in profile.slots],
        "loops": [_loop(use, profile) for use in profile.loops],
        "hottest": [bundle.pc for bundle in profile.hottest[:HOTTEST]],
        "lines": [{"line": n, "cycles": cycles} for n, cycles in sorted(profile.lines.items())],
        "bundles": [_bundle(use, profile) for use in profile.bundles],
    }


def _slot(use: SlotUse) -> dict[str, Any]:
    return {
        "slot": use.slot,
        "capacity": use.capacity,
        "busy": use.busy,
        "possible": use.possible,
        "share": round(use.share, 6),
    }


def _loop(use: LoopUse, profile: Profile) -> dict[str, Any]:
    first, last = use.lines or (None, None)
    return {
        "header": use.loop.header,
        "label": use.place and use.place.name,
        "first_line": first,
        "last_line": last,
        "depth": use.depth,
        "entries": use.loop.entries,
        "iterations": use.loop.iterations,
        "cycles": use.cycles,
        "share": round(use.cycles / profile.cycles, 6),
        "bundles_per_iteration": round(use.bundles_per_iteration, 6),
        "own_bundles_per_iteration": round(use.own_bundles_per_iteration, 6),
        "bundles": sorted(use.loop.body),
        "slots": {slot.slot: round(slot.share, 6) for slot in use.slots},
    }


def _bundle(use: BundleUse, profile: Profile) -> dict[str, Any]:
    place = use.place
    return {
        "pc": use.pc,
        "line": place and place.line,
        "end_line": place and place.end_line,
        "label": place and place.name,
        **({"stack": [frame.label for frame in place.stack]} if place and place.stack else {}),
        "cycles": use.cycles,
        "share": round(use.cycles / profile.cycles, 6) if profile.cycles else 0.0,
        "instructions": list(use.instructions),
    }
