"""The control run of a program: one for each configuration of the host.

A run stops at a branch whose condition is unknown, or at its limit. Every path from there on counts
as possible, so what is found for all of them together holds whenever a bundle is executed.
"""

from __future__ import annotations

from functools import cached_property
from typing import Callable, Iterable, Iterator, Mapping, Sequence

from ipu_asm.flow.assertions.syntax import configurations_of
from ipu_asm.flow.control_flow import solve, successors_of
from ipu_asm.flow.control_run.execution import control_run, executed
from ipu_asm.flow.control_run.run import (
    CANCELLED,
    DEFAULT_LIMITS,
    FAULT,
    LIMIT,
    UNKNOWN,
    ControlRun,
    End,
    Fault,
    Limits,
    Unmet,
    fault_of,
    start_of,
)
from ipu_asm.flow.control_run.step_reading import mode_of, steps_of
from ipu_asm.flow.control_run.steps import Step, UnsupportedProgramError, value_of
from ipu_asm.flow.control_run.summary import (
    AccessSummary,
    LoopSummary,
    RunSummary,
    addresses_text,
    summarise,
)
from ipu_asm.flow.control_run.trace import (
    Executed,
    Progression,
    byte_ranges,
    executions,
    in_units,
    joined,
    moves,
    number_count,
)
from ipu_asm.flow.control_run.values import Value, unknown
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program


class ObservedValues(NamedTuple):
    """The values of a register before and after all executions of a bundle.

    The numbers are signed 32-bit numbers; there are as many as executions, in no certain order.
    Both are empty for a bundle that never runs.
    """

    before: Sequence[Progression]
    after: Sequence[Progression]


class Observation(NamedTuple):
    """Observed values by address and name of the register, in lower case.

    With `is_complete` they are those of all executions, else those of a beginning of the run.
    """

    values: Mapping[tuple[int, str], ObservedValues]
    is_complete: bool


_NAME = "control_facts"
_MAX_STEPS = 20_000
"""Bundles that are executed one by one: facts are asked for with every edit."""


class ControlFacts:
    """The control run of a program and its numbers, with `presets` in registers at the start.

    Addresses of bundles and cycles count bundles, addresses of accesses count bytes.
    """

    def __init__(
        self, presets: Mapping[str, int], run: ControlRun, *, ignores_faults: bool = False
    ) -> None:
        self.presets = presets
        self.run = run
        self._limits = Limits(_MAX_STEPS, ignores_faults=ignores_faults)

    @cached_property
    def summary(self) -> RunSummary:
        """The numbers of the run, which few rules ask for."""
        return summarise(self.run)

    @cached_property
    def executions(self) -> Sequence[Executed]:
        """The executed bundles of the trace, those in loops included, in order."""
        return list(executions(self.run.nodes))

    @property
    def is_complete(self) -> bool:
        """Whether the run reached its end; else all numbers are those of its beginning."""
        return self.run.is_complete

    def loop_around(self, address: int) -> LoopSummary | None:
        """Return the innermost loop that contains a bundle and runs; None if there is none.

        `LoopSummary.least` and `most` are its trips: the executions of its head in one entry.
        """
        around = [
            (last - head, head)
            for head, last in self.run.loops.items()
            if head <= address <= last and head in self.summary.loops
        ]
        return self.summary.loops[min(around)[1]] if around else None

    def accesses_at(self, address: int) -> list[AccessSummary]:
        """Return the accesses of a bundle that ran, in the order of its instructions."""
        accesses = self.summary.accesses
        count = len(self.run.steps[address].accesses)
        return [accesses[address, n] for n in range(count) if (address, n) in accesses]

    def base(self, access: AccessSummary) -> int | None:
        """Return the sum of the base registers in bytes; None if a value is not known."""
        base = access.access.base(self.run.registers)
        return base if isinstance(base, int) else None

    def initial(self, register: str) -> Value:
        return self.run.initial[self.run.names.positions[register]]

    def base_names(self, access: AccessSummary) -> list[str]:
        return [self.run.names.names[register] for register in access.access.bases]

    def offset_ranges(self, access: AccessSummary) -> list[range] | None:
        """Return the bytes that an access touches, relative to its base, over all executions.

        They are sorted and do not touch each other. None if an offset depends on unknown values.
        """
        space = access.access.space
        modulus = space.size if space.is_register else 0
        return byte_ranges(access.offsets, access.access.size, modulus)

    def address_ranges(self, access: AccessSummary) -> list[range] | None:
        """Return the bytes that an access touches; None if its base or an offset is unknown."""
        base, ranges = self.base(access), self.offset_ranges(access)
        if base is None or ranges is None:
            return None
        return [range(each.start + base, each.stop + base) for each in ranges]

    def address_text(self, access: AccessSummary) -> str:
        """Return the addresses of an access in words: `cr1 + 0x80 x k, k = 0..127`.

        For a memory that is addressed by rows: `rows cr2 + k, k = 0..127`.
        """
        unit, names = access.access.unit, self.base_names(access)
        space = access.access.space
        if space.is_register and None in map(number_count, access.offsets):
            return f"{addresses_text(names, access.offsets)}, modulo {space.size:#x}"
        if not space.rows:
            return addresses_text(names, access.offsets)
        rows = [in_units(offsets, unit) for offsets in access.offsets]
        is_one = len(rows) == 1 and not moves(rows[0])
        return f"{'row' if is_one else 'rows'} {addresses_text(names, rows)}"

    def is_written(self, register: str) -> bool:
        """Return whether a bundle that runs writes a register.

        If the run is not complete: whether any bundle of the program does.
        """
        position = self.run.names.positions.get(register.lower())
        return any(
            update.register == position
            for step, count in zip(self.run.steps, self.summary.executions)
            if count != 0 or not self.is_complete
            for update in step.updates
        )

    def observe(self, places: Mapping[int, Iterable[str]]) -> Observation:
        """Return the values of registers before and after bundles, for addresses with names.

        Ask once for all places: the program is executed again if one of them ran.
        """

        # Of 1,000 varied files this takes 9 % of the time: random ones ask for what never runs.
        if places.keys().isdisjoint({node.address for node in self.executions}):
            return unobserved(self.run, places)
        return observe(self.run, places, self._limits)

    @cached_property
    def behind_faults(self) -> ControlFacts:
        """The facts of the run that goes on where registers hold what an instruction refuses.

        So rules see each such instruction. Accesses that fault end it all the same.
        """
        if self.run.end.reason != FAULT:
            return self
        run = executed(self.run, Limits(_MAX_STEPS, ignores_faults=True))
        return ControlFacts(self.presets, run, ignores_faults=True)


@cached_on_program
def control_facts(program: Program) -> tuple[ControlFacts, ...]:
    """Return the facts for each configuration of the host, see `configurations`.

    Without values of the host there is one. There are none for a program with errors, and for an
    instruction set whose description does not say what instructions compute.
    """
    if not program.is_text or not program.isa.spaces or not program.size:
        return ()
    configurations = configurations_of(program)
    modes = [mode_of(each) for each in configurations]
    try:
        steps = {mode: steps_of(program, mode) for mode in modes}
    except UnsupportedProgramError:
        return ()
    # An edit of 1,000 bundles that leaves the steps as they were takes a tenth of the time.
    return program.cache.whole(
        _NAME,
        (steps, configurations),
        lambda: tuple(
            _facts(program, steps[mode], each) for each, mode in zip(configurations, modes)
        ),
    )


def facts_with(program: Program, presets: Mapping[str, int]) -> ControlFacts | None:
    """Return the facts with other values of the host than those of the program; None if none."""
    if not control_facts(program):
        return None
    steps, name = steps_of(program, mode_of(presets)), f"facts_with {sorted(presets.items())}"
    return program.cache.whole(name, steps, lambda: _facts(program, steps, presets))


def _facts(program: Program, steps: Sequence[Step], presets: Mapping[str, int]) -> ControlFacts:
    return ControlFacts(presets, executed(start_of(program, presets, steps), Limits(_MAX_STEPS)))


def followed_further(
    program: Program,
    facts: ControlFacts,
    most_steps: int,
    is_cancelled: Callable[[], bool] | None = None,
) -> ControlFacts:
    """Return the facts of the same run with a higher limit, if its limit ended it.

    `most_steps` bundles are executed one by one at most: a million take 3 s and 250 MB. A run that
    is cancelled has reached its limit.
    """
    if facts.run.end.reason != LIMIT:
        return facts
    run = control_run(program, facts.presets, most_steps, is_cancelled)
    if run.end.reason == CANCELLED:
        run = run._replace(end=run.end._replace(reason=LIMIT))
    return ControlFacts(facts.presets, run)


def observe(
    run: ControlRun, places: Mapping[int, Iterable[str]], limits: Limits = DEFAULT_LIMITS
) -> Observation:
    """Return the values of registers at addresses: `places` has names of registers by address.

    The program is executed once, however many places there are. Registers that are not in
    `run.names` have no values.
    """
    observed = _positions(run, places)
    again = executed(run, limits, observed)
    found: dict[tuple[int, int], tuple[list[Progression], list[Progression]]] = {
        (address, register): ([], [])
        for address, registers in observed.items()
        for register in registers
    }
    for node in executions(again.nodes):
        step = run.steps[node.address]
        place = step.first_observed
        for register in observed.get(node.address, ()):
            before, after = found[node.address, register]
            before.append(node.values[place])
            after.append(node.values[place + 1])
            place += 2
    values = {
        (address, run.names.names[register]): ObservedValues(joined(before), joined(after))
        for (address, register), (before, after) in found.items()
    }
    return Observation(values, again.is_complete)


def unobserved(run: ControlRun, places: Mapping[int, Iterable[str]]) -> Observation:
    """Return what `observe` does for a run that executes none of the places."""
    none = ObservedValues([], [])
    names = run.names.names
    values = {(a, names[n]): none for a, found in _positions(run, places).items() for n in found}
    return Observation(values, run.is_complete)


def _positions(run: ControlRun, places: Mapping[int, Iterable[str]]) -> dict[int, list[int]]:
    """Return the positions of registers by address, each once; those unknown to a run are left."""
    positions = run.names.positions
    return {
        address: [positions[n] for n in dict.fromkeys(map(str.lower, names)) if n in positions]
        for address, names in places.items()
    }


def starts_after(program: Program, run: ControlRun) -> Sequence[int]:
    """Return the addresses where a run that is not followed to its end may go on."""
    successors = successors_of(program)
    if successors is None or run.end.reason not in (UNKNOWN, LIMIT, CANCELLED):
        return ()
    address, count = run.end.address, len(run.steps)
    starts = successors[address] if run.end.has_run else (address,)
    return [start for start in starts if start < count]


def values_after(program: Program, facts: ControlFacts) -> Mapping[int, Sequence[Value]]:
    """Return the registers before each bundle that may follow the end of a run, by address.

    Those are numbers that are the same however control gets there; others have a name of their own.
    """
    name, inputs = f"values after {sorted(facts.presets.items())}", (facts, successors_of(program))
    return program.cache.whole(name, inputs, lambda: _values_after(program, facts.run))


def _values_after(program: Program, run: ControlRun) -> Mapping[int, Sequence[Value]]:
    varied = [unknown(name) for name in run.names.names]

    def after(address: int, values: Sequence[Value]) -> Sequence[Value]:
        updates = run.steps[address].updates
        if not updates:
            return values
        changed = list(values)
        for update in updates:
            value = update.value(values)
            changed[update.register] = value if isinstance(value, int) else varied[update.register]
        return changed

    def common(one: Sequence[Value], other: Sequence[Value]) -> Sequence[Value]:
        return [a if a == b else each for a, b, each in zip(one, other, varied)]

    last = [v if isinstance(v, int) else each for v, each in zip(run.registers, varied)]
    starts = dict.fromkeys(starts_after(program, run), last)
    return solve(successors_of(program) or (), starts, after, common)


def execution(run: ControlRun, address: int, values: Sequence[Value]) -> Executed:
    """Return an execution of a bundle with registers before it, without what it compares."""
    step, new = run.steps[address], list(values)
    for update in step.updates:
        new[update.register] = update.value(values)
    observed: list[Value] = [0] * step.compared
    observed += [value_of(access.offset, new) for access in step.accesses]
    observed += [new[window.register] for window in step.windows]
    return Executed(address, None, tuple(map(Progression, observed)))


def faults_after(program: Program, facts: ControlFacts) -> Iterator[Fault | Unmet]:
    """Yield what the machine refuses of each bundle after the end of a run, whenever it runs."""
    for address, values in sorted(values_after(program, facts).items()):
        run = facts.run._replace(end=End(FAULT, address), registers=values)
        found = fault_of(program, run)
        if found is not None:
            yield found
