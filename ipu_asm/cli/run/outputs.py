"""The files that `ipu-run` writes after a run: dumps, state, trace, profile, coverage."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Iterator, Protocol, Sequence

from ipu_asm.assembler.kernel import Kernel
from ipu_asm.cli.console import write_bytes
from ipu_asm.cli.run.checks import is_page
from ipu_asm.cli.run.options import RunOptions
from ipu_asm.config.file_writing import Output, replace_files
from ipu_asm.config.files import STANDARD_INPUT, FileError, Target, decoded, read_bytes
from ipu_asm.emulator.stops import RunEnd, describe_stop

if TYPE_CHECKING:
    from ipu_asm.cli.run.execution import RunOutcome
    from ipu_asm.emulator.execution_counts import Recording
    from ipu_asm.emulator.profile import BundleUse, LoopUse, Profile, SlotUse
    from ipu_asm.reports.recorded_profiles import ChangedCosts, RecordedProfile


def write_outputs(
    options: RunOptions, kernel: Kernel, outcome: RunOutcome, is_good: bool
) -> list[str]:
    """Write the requested files and return a note on each; dumps require a successful run.

    Raises `FileError`; then no file has changed.
    """
    written = _dumps(options, outcome) if is_good else []
    if is_good and options.save_state is not None:
        written.append(_state(options.save_state, kernel, outcome))
    return write_files([*written, *recorded_outputs(options, kernel, outcome)])


def write_files(written: Sequence[tuple[Output, str]]) -> list[str]:
    """Write files, all of them or none; return the notes on them. Raises `FileError`."""
    outputs = [output for output, _ in written]
    for output in outputs:
        if output.path == STANDARD_INPUT:
            write_bytes(output.data)
    replace_files([output for output in outputs if output.path != STANDARD_INPUT])
    return [note for _, note in written]


def recorded_outputs(
    options: RunOptions, kernel: Kernel, run: RecordedRun
) -> Iterator[tuple[Output, str]]:
    """Yield trace, profile and coverage of a run, as far as they are requested, with notes."""
    if options.trace is not None:
        yield _trace(options.trace, kernel, run)
    if options.profiles:
        profile = _profile(kernel, run)
        for path in options.profiles:
            yield Output(path, profile_file(path, profile, kernel, run).encode()), path
    if options.coverage is not None:
        content = coverage_file(options.coverage, kernel, run).encode()
        yield Output(options.coverage, content), options.coverage


class RecordedRun(Protocol):
    """The end of a run whose path was recorded."""

    @property
    def recording(self) -> Recording | None:
        """The path."""

    @property
    def stop(self) -> RunEnd:
        """Where and why it ended."""

    @property
    def next_bundle(self) -> int:
        """The bundle that would be executed next."""

    @property
    def cycles(self) -> int:
        """Its length."""

    @property
    def seconds(self) -> float:
        """Its duration."""


def _dumps(options: RunOptions, outcome: RunOutcome) -> list[tuple[Output, str]]:
    if not options.dump:
        return []
    from ipu_asm.testbench.data.memory import dump_outputs

    return dump_outputs(outcome.machine.state, options.dump)


def _state(path: str, kernel: Kernel, outcome: RunOutcome) -> tuple[Output, str]:
    from ipu_asm.testbench.data.memory import state_file

    return Output(path, state_file(outcome.machine.state, outcome.run_so_far(kernel))), path


def _trace(path: str, kernel: Kernel, run: RecordedRun) -> tuple[Output, str]:
    from ipu_asm.emulator.profile import chrome_trace

    assert run.recording is not None
    addresses, executed = run.recording.tail, run.recording.visits.total()
    left_out = executed - len(addresses)
    pieces = chrome_trace(addresses, kernel, first_cycle=left_out, stop=run.stop)
    shown = f"the last {len(addresses):,} of {executed:,} bundles"
    note = f"{path} ({shown}: --trace-limit)" if left_out else path
    return Output(path, "".join(pieces).encode()), note


def coverage_file(path: str, kernel: Kernel, run: RecordedRun) -> str:
    """Return the coverage of a run; a `path` that ends in `.html` is a page, else for lcov."""
    from ipu_asm.emulator.execution_counts import ExecutionCounts
    from ipu_asm.testbench.coverage import Coverage
    from ipu_asm.testbench.coverage.formats import coverage_page, kernel_coverage, lcov_text

    assert run.recording is not None
    counts = ExecutionCounts()
    counts.add(run.recording, run.next_bundle)
    covered = kernel_coverage(kernel, counts)
    if is_page(path):
        message = f"one run of {run.cycles:,} cycles, {describe_stop(run.stop)}"
        return coverage_page(covered, message=message, sources={covered.path: kernel.source})
    coverage = Coverage()
    coverage.add(covered)
    return lcov_text(coverage)


def _profile(kernel: Kernel, run: RecordedRun) -> Profile:
    from ipu_asm.emulator.profile import profile_of

    assert run.recording is not None
    return profile_of(run.recording, kernel)


def profile_file(path: str, profile: Profile, kernel: Kernel, run: RecordedRun) -> str:
    """Return the content of a profile; the extension of `path` selects HTML or JSON."""
    if os.path.splitext(path)[1].lower() == ".json":
        return json.dumps(_as_data(profile, kernel, run), indent=1) + "\n"
    from ipu_asm.reports.profile_page import profile_page

    return profile_page(profile, kernel.source, run.stop, kernel.isa)


def read_baseline(options: RunOptions) -> RecordedProfile | None:
    """Return the profile to compare the run with, if one is given. Raises `FileError`."""
    if options.baseline is None:
        return None
    from ipu_asm.reports.recorded_profiles import ProfileError, read_profile

    target = Target.of_argument(options.baseline)
    try:
        return read_profile(decoded(read_bytes(target), target.name).text)
    except ProfileError as error:
        raise FileError(str(error), target.name) from None


def changed_costs(
    baseline: RecordedProfile | None, kernel: Kernel, run: RecordedRun
) -> ChangedCosts | None:
    """Return the difference of a recorded run from a baseline, if there is one."""
    if baseline is None:
        return None
    from ipu_asm.reports.recorded_profiles import ChangedCosts, profile_of_data

    data = _as_data(_profile(kernel, run), kernel, run)
    return ChangedCosts.of(baseline, profile_of_data(data))


def _as_data(profile: Profile, kernel: Kernel, run: RecordedRun) -> dict[str, Any]:
    from ipu_asm.emulator.profile import HOTTEST

    return {
        "program": kernel.name,
        "stopped": run.stop.reason.value,
        "message": describe_stop(run.stop),
        "cycles": profile.cycles,
        "seconds": round(run.seconds, 6),
        "cycles_per_second": round(run.cycles / run.seconds) if run.seconds else 0,
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
