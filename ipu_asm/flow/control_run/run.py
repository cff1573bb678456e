"""A control run: its limits, its trace, how it ended, and the fault that ended it."""

from __future__ import annotations

from typing import Callable, Final, Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.step_reading import mode_of, scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import (
    Access,
    NeededBits,
    Requirement,
    ScalarRegisters,
    Step,
    value_of,
)
from ipu_asm.flow.control_run.trace import LoopRun, Node
from ipu_asm.flow.control_run.values import BITS, Value, reduced, unknown, unsigned
from ipu_asm.flow.loops import loop_ends
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program

MAX_STEPS = 200_000
"""Bundles that are executed one by one, at most; those of settled iterations do not count.

A quarter of them may follow each other without a loop that is settled: loops of kernels are soon
uniform, those of random programs never.
"""


class End(NamedTuple):
    """Why a control run ended, and at which address: `reason` is one of the constants below.

    `unknown` are the registers on whose unknown values the branch at the address depends. With
    `has_run`, the bundle at the address is the last one of the trace: all of it is known but where
    its branch leads.
    """

    reason: str
    address: int
    unknown: tuple[str, ...] = ()
    has_run: bool = False


HALTED, RAN_OFF, FAULT, LIMIT, UNKNOWN = "halted", "ran off its end", "fault", "limit", "unknown"
CANCELLED, ENDLESS = "cancelled", "endless"


class ControlRun(NamedTuple):
    """The trace of a run from address 0, and how it ended.

    `initial` and `registers` are the first and the last values of the registers in `names`. `loops`
    has the last address of each loop, by its first.
    """

    steps: Sequence[Step]
    names: ScalarRegisters
    loops: Mapping[int, int]
    initial: Sequence[Value]
    nodes: Sequence[Node]
    end: End
    registers: Sequence[Value]

    @property
    def is_complete(self) -> bool:
        """Whether the run has an end, so that the trace is that of a whole run."""
        return self.end.reason in (HALTED, RAN_OFF, FAULT)


class Limits(NamedTuple):
    """How many bundles a run executes one by one at most, and what cancels it.

    With `ignores_faults`, it goes on where what a register must hold is not so.
    """

    most_steps: int = MAX_STEPS
    is_cancelled: Callable[[], bool] | None = None
    ignores_faults: bool = False


DEFAULT_LIMITS = Limits()


def start_of(
    program: Program, presets: Mapping[str, int] | None = None, steps: Sequence[Step] | None = None
) -> ControlRun:
    """Return a run that has executed nothing yet; `steps` are those of the program, if known."""
    names = scalar_registers(program.isa)
    given = {name.lower(): value for name, value in (presets or {}).items()}
    steps = steps_of(program, mode_of(given)) if steps is None else steps
    given = {**program.isa.resets, **given, **program.isa.constants}
    values: list[Value] = [
        reduced(given.get(name, 0 if place < names.changing else unknown(name)))
        for place, name in enumerate(names.names)
    ]
    return ControlRun(steps, names, loop_ends(program), values, (), End(LIMIT, 0), values)


_NEGATIVE: Final = "an offset must not be negative, because it counts as an unsigned number"


class Fault(NamedTuple):
    """An access of the bundle at `address` that the machine refuses.

    `offset` is that from the base registers, whose sum is `base`.
    """

    address: int
    access: Access
    offset: int
    base: Value

    @property
    def instruction(self) -> int:
        return self.access.instruction

    @property
    def is_misaligned(self) -> bool:
        """Whether the offset is no multiple of what the memory demands; else it is outside."""
        return self.offset % self.access.space.step != 0


class Unmet(NamedTuple):
    """An instruction of the bundle at `address` that faults because of `bits` of a register.

    Its `value` is None if the instruction faults with any value.
    """

    address: int
    requirement: Requirement
    bits: NeededBits
    value: int | None

    @property
    def instruction(self) -> int:
        return self.requirement.instruction


class Iteration(NamedTuple):
    """A loop in which a run ended, and the number of the iteration, from 1; None if unknown."""

    head: int
    number: int | None


def fault_of(program: Program, run: ControlRun) -> Fault | Unmet | None:
    """Return what the machine refuses first in the last bundle; None if the run ended otherwise."""
    if run.end.reason != FAULT:
        return None
    bundle = program.bundles[program.bundle_at_address[run.end.address]]
    slots = [slot.name for slot in program.isa.slots]
    order = [slots.index(each.spec.slot) if each.spec else 0 for each in bundle.instructions]
    return min(_faults(run), key=lambda each: order[each.instruction], default=None)


def _faults(run: ControlRun) -> Iterator[Fault | Unmet]:
    address, step = run.end.address, run.steps[run.end.address]
    values = list(run.registers)
    for update in step.updates:
        values[update.register] = update.value(run.registers)
    for access in step.accesses:
        offset, base = value_of(access.offset, values), access.base(run.registers)
        if isinstance(offset, int):
            fault = Fault(address, access, offset, base)
            if fault.is_misaligned or _is_outside(fault):
                yield fault
    for each in (*step.fixed, *step.required):
        found = each.values(run.registers, values)
        bits = each.broken(found)
        if bits is not None and each.is_certain:
            value = found[0] if each.register >= 0 else None
            yield Unmet(address, each, bits, value if isinstance(value, int) else None)


def fault_message(program: Program, run: ControlRun, fault: Fault | Unmet) -> str:
    """Return what the machine refuses, in words."""
    bundle = program.bundles[program.bundle_at_address[fault.address]]
    mnemonic = bundle.instructions[fault.instruction].mnemonic
    if isinstance(fault, Fault):
        return _access_message(run, fault, mnemonic)
    if fault.value is None:
        return f"`{mnemonic}` faults with each value of its registers"
    low, bits, numbers, _ = fault.bits
    name = run.names.names[fault.requirement.register]
    found, expected = fault.value >> low & ((1 << bits) - 1), _alternatives(numbers)
    if bits == BITS:
        return f"`{name}` of `{mnemonic}` must be {expected}, found {found}"
    place = f"bits {low + bits - 1}:{low} of `{name}`"
    value = f"`{name}` = {unsigned(fault.value):#x}"
    return f"{place}, for `{mnemonic}`, must be {expected}, found {found} ({value})"


def _alternatives(numbers: Sequence[range]) -> str:
    texts = [f"{n[0]}..{n[-1]}" if len(n) > 1 else str(n[0]) for n in numbers]
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _access_message(run: ControlRun, fault: Fault, mnemonic: str) -> str:
    access, space = fault.access, fault.access.space
    if space.is_register and not space.wraps:
        last = access.highest if access.highest is not None else 0
        places = [range(place, place + 1) for place in range(0, last + 1, space.step)]
        expected = _alternatives(places)
        return f"the index of `{mnemonic}` must be {expected}, found {unsigned(fault.offset)}"
    if fault.is_misaligned:
        return f"the index of `{mnemonic}` must be a multiple of {space.step}, found {fault.offset}"
    bases = " and ".join(f"`{run.names.names[register]}`" for register in access.bases)
    verb = "reads" if access.kind == "read" else "writes"
    if space.rows:
        return _row_message(fault, f"`{mnemonic}` {verb}", bases)
    if isinstance(fault.base, int):
        first = fault.base + unsigned(fault.offset)
        found = f"0x{first:x}..0x{first + access.size - 1:x}"
    elif fault.offset < 0:
        found = f"offset {fault.offset} from {bases}"
    else:
        last = fault.offset + access.size - 1
        found = f"offsets 0x{fault.offset:x}..0x{last:x} from {bases}"
    limit = _NEGATIVE if fault.offset < 0 else f"{access.memory} ends at 0x{space.size:x}"
    return f"{limit}: `{mnemonic}` {verb} {access.size} bytes at {found}"


def _row_message(fault: Fault, accesses: str, bases: str) -> str:
    access, offset = fault.access, fault.offset // fault.access.unit
    last = access.highest // access.unit if access.highest is not None else 0
    limit = _NEGATIVE if offset < 0 else f"the last row of {access.memory} is {last}"
    if isinstance(fault.base, int):
        return f"{limit}: {accesses} row {fault.base // access.unit + unsigned(offset)}"
    return f"{limit}: {accesses} the row {offset} after that in {bases}"


def _is_outside(fault: Fault) -> bool:
    base = fault.base if isinstance(fault.base, int) else 0
    highest = fault.access.highest
    return highest is not None and (fault.offset < 0 or base + fault.offset > highest)


def iterations_at_end(run: ControlRun, loops: Mapping[int, int]) -> list[Iteration]:
    """Return the loops in which a run ended, outermost first.

    `loops` has the last address of each loop, by its first.
    """
    found: list[Iteration] = []
    nodes, address = run.nodes, run.end.address
    while nodes:
        node = nodes[-1]
        if not isinstance(node, LoopRun) or not node.head <= address <= loops[node.head]:
            break
        is_begun = address != node.head
        complete = node.segments[:-1] if is_begun else node.segments
        counts = [segment.trips for segment in complete]
        trips = sum(count for count in counts if isinstance(count, int))
        found.append(Iteration(node.head, trips + 1))
        nodes = node.segments[-1].nodes if is_begun and node.segments else ()
    return found
