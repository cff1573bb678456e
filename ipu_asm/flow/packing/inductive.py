"""Registers that a loop steps once an iteration: pointers, counters and the bounds of counters.

Such a register may be stepped before or after its readers, if its start value is moved by a step
the other way; and a branch may compare it before or after its step, if its bound is moved. For
each choice, the rest are ordinary dependences: see `shifted_graphs`.
"""

from __future__ import annotations

from itertools import product
from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.control_flow import successors_of
from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Sum, UnsupportedProgramError
from ipu_asm.flow.packing.dependences import Dependence, DependenceGraph, DependenceKind
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.isa.model import Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program

_MAX_GRAPHS = 64
_MAX_SHIFTED = 8


class Reader(NamedTuple):
    """An operation that reads a register after `seen` of the updates of its iteration."""

    operation: int
    is_live: bool
    seen: int


class InductiveRegister(NamedTuple):
    """A register that one operation of a loop steps by the same sum in every iteration."""

    register: str
    update: int
    step: Sum
    readers: tuple[Reader, ...]


class Comparison(NamedTuple):
    """The branch of a loop: the inductive register that it compares with a `bound`.

    `seen` are the updates of its iteration that it sees; the bound does not change in the loop.
    """

    branch: int
    register: str
    bound: str
    seen: int


class ShiftedGraph(NamedTuple):
    """The dependences of a loop whose registers start so many steps later, by name.

    With `moves_bound`, the branch may compare its counter at any time.
    """

    graph: DependenceGraph
    shifts: Mapping[str, int]
    moves_bound: bool


def inductive_registers(program: Program, graph: DependenceGraph) -> list[InductiveRegister]:
    """Return the inductive registers of a loop of one basic block."""
    operations = graph.operations
    names = scalar_registers(program.isa).names
    writers: dict[str, list[int]] = {}
    for number, operation in enumerate(operations):
        for resource in operation.writes:
            writers.setdefault(resource, []).append(number)
    found = []
    steps = steps_of(program)
    for address in dict.fromkeys(operation.address for operation in operations):
        for update in steps[address].updates:
            register = names[update.register]
            constant, terms = update.sum
            factors = dict(terms)
            others = tuple((r, f) for r, f in terms if r != update.register)
            is_step = update.is_sum and factors.get(update.register) == 1 and (constant or others)
            is_fixed = not any(names[other] in writers for other, _ in others)
            if is_step and is_fixed and len(writers.get(register, ())) == 1:
                [writer] = writers[register]
                readers = tuple(_readers(operations, register, writer))
                found.append(InductiveRegister(register, writer, (constant, others), readers))
    return found


def _readers(operations: Sequence[Operation], register: str, writer: int) -> Iterator[Reader]:
    written = operations[writer].address
    for number, operation in enumerate(operations):
        if number != writer and register in operation.early_reads:
            yield Reader(number, False, int(operation.address > written))
        if number != writer and register in operation.live_reads:
            yield Reader(number, True, int(operation.address >= written))


def comparison_of(
    program: Program, graph: DependenceGraph, registers: Sequence[InductiveRegister]
) -> Comparison | None:
    """Return how a loop's branch compares an inductive register; None if its bound changes."""
    operations = graph.operations
    [number] = [n for n, operation in enumerate(operations) if operation.is_branch]
    branch = steps_of(program)[operations[number].address].branch
    if branch is None or not branch.relation:
        return None
    names = scalar_registers(program.isa).names
    pair = names[branch.left], names[branch.right]
    written = {resource for operation in operations for resource in operation.writes}
    for each in registers:
        seen = [reader.seen for reader in each.readers if reader.operation == number]
        if each.register in pair and len(seen) == 1:
            bound = pair[1 - pair.index(each.register)]
            if bound not in written:
                return Comparison(number, each.register, bound, seen[0])
    return None


def shifted_graphs(
    graph: DependenceGraph, registers: Sequence[InductiveRegister], comparison: Comparison | None
) -> list[ShiftedGraph]:
    """Return the graph of each choice of shifts, those with the fewest first.

    A read must see the updates of its own iteration or those of the one before: there are as many
    updates as iterations.
    """
    names = {each.register for each in registers}
    kinds = (DependenceKind.TRUE, DependenceKind.ANTI)
    kept = [e for e in graph.dependences if not (e.resource in names and e.kind in kinds)]
    chosen: list[tuple[int, int, bool, dict[str, int]]] = []
    for moves_bound in (False, True) if comparison is not None else (False,):
        ignored = comparison.branch if comparison is not None and moves_bound else -1
        choices = [_shifts(each, ignored) for each in registers]
        free = [number for number, each in enumerate(choices) if len(each) > 1]
        for number in free[_MAX_SHIFTED:]:
            choices[number] = choices[number][:1]
        for shifts in product(*choices):
            by_name = {each.register: shift for each, shift in zip(registers, shifts)}
            count = sum(map(abs, shifts)) + moves_bound
            chosen.append((count, len(chosen), moves_bound, by_name))
    made = []
    for _, _, moves_bound, by_name in sorted(chosen, key=lambda each: each[:2])[:_MAX_GRAPHS]:
        ignored = comparison.branch if comparison is not None and moves_bound else -1
        edges = [e for each in registers for e in _edges(each, by_name[each.register], ignored)]
        shifted = DependenceGraph(graph.operations, (*kept, *edges))
        shifts_ = {name: shift for name, shift in by_name.items() if shift}
        made.append(ShiftedGraph(shifted, shifts_, moves_bound))
    return made


def _shifts(register: InductiveRegister, ignored: int) -> list[int]:
    """Return by how many steps a register may start later, so that all readers can see it."""
    seen = {reader.seen for reader in register.readers if reader.operation != ignored}
    if not seen:
        return [0]
    return [shift for shift in (0, -1, 1) if all(0 <= each - shift <= 1 for each in seen)]


def _edges(register: InductiveRegister, shift: int, ignored: int) -> Iterator[Dependence]:
    for number, is_live, seen in register.readers:
        if number == ignored:
            continue
        before, behind = (0, 1) if is_live else (1, 0)
        own, update, name = seen - shift, register.update, register.register
        yield Dependence(update, number, DependenceKind.TRUE, name, before, 1 - own)
        yield Dependence(number, update, DependenceKind.ANTI, name, behind, own)


def is_live_at(
    program: Program, address: int, register: str, *, at_end: bool, in_reads: bool = True
) -> bool:
    """Return whether a register may be read, before it is written, from an address on.

    With `at_end`, the end of the program reads all registers; without `in_reads` nothing else.
    """
    successors = successors_of(program)
    assert successors is not None
    waiting, visited = [address], set()
    while waiting:
        place = waiting.pop()
        if place in visited:
            continue
        visited.add(place)
        if place >= program.size:
            if at_end:
                return True
            continue
        operations = operations_of(program, (place,))
        is_written = any(register in each.writes for each in operations)
        reads = [r for each in operations for r in each.early_reads] if in_reads else []
        if in_reads and not is_written:
            reads += [r for each in operations for r in each.live_reads]
        if register in reads or (at_end and not is_written and not successors[place]):
            return True
        if not is_written:
            waiting += successors[place]
    return False


def stepping_texts(isa: Isa, register: str, step: Sum, count: int) -> list[str] | None:
    """Return instructions that step a register so many times, or back if `count` is negative.

    None if there are none.
    """
    names = scalar_registers(isa).names
    own = names.index(register)
    constant, others = step
    texts: list[str | None] = []
    if constant * count:
        value = constant * count
        wanted = value, ((own, 1),)
        texts.append(_text(isa, wanted, [f"{register} {value}", f"{register} {abs(value)}"]))
    for other, factor in others:
        sign = 1 if factor * count > 0 else -1
        operands = [
            f"{register} {register} {names[other]}",
            f"{register} {names[other]} {register}",
        ]
        texts += [_text(isa, (0, ((own, 1), (other, sign))), operands)] * abs(factor * count)
    return None if None in texts else [text for text in texts if text is not None]


def copying_texts(isa: Isa, register: str, source: str) -> list[str] | None:
    """Return the instruction that copies a register to another one; None if there is none."""
    names = scalar_registers(isa).names
    zeros = [name for name, value in isa.constants.items() if not value]
    operands = [f"{register} {source}", *(f"{register} {source} {zero}" for zero in zeros)]
    text = _text(isa, (0, ((names.index(source), 1),)), operands)
    return None if text is None else [text]


def setting_texts(isa: Isa, register: str, value: int, added: str = "") -> list[str] | None:
    """Return instructions that set a register to a number, plus another register if given.

    None if there are none.
    """
    names = scalar_registers(isa).names
    same = [name for name, number in isa.constants.items() if number == value]
    constant = _text(isa, (value, ()), [f"{register} {value}"])
    if constant is None and same:
        return copying_texts(isa, register, same[0]) if not added else None
    if constant is None or not added:
        return None if constant is None else [constant]
    total = 0, ((names.index(register), 1), (names.index(added), 1))
    text = _text(isa, total, [f"{register} {register} {added}", f"{register} {added} {register}"])
    return None if text is None else [constant, text]


def _text(isa: Isa, wanted: Sum, operands: Sequence[str]) -> str | None:
    """Return the instruction that makes a sum of a register, with one of several operands."""
    for spec in isa.instructions.values():
        if spec.scalar is None or not spec.scalar.computes:
            continue
        for each in operands:
            text = f"{spec.mnemonic} {each}"
            program = read_program(isa, text + isa.surface.bundle_end)
            try:
                [step] = steps_of(program)
            except (UnsupportedProgramError, ValueError):
                continue
            sums = [update.sum for update in step.updates if update.is_sum]
            if not program.findings and [(c, sorted(t)) for c, t in sums] == [
                (wanted[0], sorted(wanted[1]))
            ]:
                return text
    return None
