"""Rewritings that may save updates of registers, and the text that they lead to.

Each is tried, and kept only if it is proven.

- *unread*: an update that nothing reads is left out
- *merged*: an update that is all that reads what was computed before joins it
- *equal*: the reads of a web get other registers, which have the same values when they are read
- *decision*: a branch compares another register, so that its counter is not needed
- *constant*: reads that always get the same number get it from a register without another use
"""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.flow.control_run.step_reading import scalar_registers, steps_of
from ipu_asm.flow.control_run.steps import Step
from ipu_asm.flow.packing.layout import Place, block_edit
from ipu_asm.flow.packing.observation import Decision, Observation, holds, updates_at
from ipu_asm.flow.packing.operations import Operation, operations_of
from ipu_asm.flow.packing.pack import in_order, packing_blocks, slot_order
from ipu_asm.flow.packing.webs import START, Read, Web, Webs, constant_update, setting_text
from ipu_asm.isa.storage import signed
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.build import read_program
from ipu_asm.program.program import Program
from ipu_asm.text import Span, TextEdit, apply_edits

Operand = tuple[int, int, int]
"""The address of a bundle, the number of an instruction in it, and the number of its operand."""


class Rewriting(NamedTuple):
    """Operands with their new texts, instructions that are left out, and those to begin with."""

    operands: Mapping[Operand, str] = {}
    removed: frozenset[Place] = frozenset()
    first: tuple[str, ...] = ()


def rewritten(program: Program, change: Rewriting) -> Program | None:
    """Return the rewritten program; None if a basic block would have no instruction left."""
    edits: list[TextEdit] = []
    changed = {(address, number) for address, number, _ in change.operands} - change.removed
    for block in packing_blocks(program):
        if not any(address in block for address, _ in change.removed):
            edits += [_operand_edit(program, o, t) for o, t in change.operands.items()
                      if o[0] in block and o[:2] in changed]  # fmt: skip
            continue
        bundles = _bundles(program, block, change)
        if not bundles:
            return None
        texts = {place: _text(program, place, change) for place in changed if place[0] in block}
        edits.append(block_edit(program, block, bundles, texts))
    edits += _first_edits(program, change.first)
    made = read_program(program.isa, apply_edits(program.text, sorted(edits)))
    made.presets, made.configurations = program.presets, program.configurations
    return made


def _bundles(program: Program, block: range, change: Rewriting) -> list[Sequence[Operation]]:
    """Return the operations of a block's bundles that are left in them."""
    found: dict[int, list[Operation]] = {address: [] for address in block}
    for operation in operations_of(program, block):
        place = operation.address, operation.number
        if place not in change.removed:
            found[operation.address].append(operation)
    order = slot_order(program)
    return [in_order(bundle, order) for bundle in found.values() if bundle]


def _operand_edit(program: Program, operand: Operand, text: str) -> TextEdit:
    address, instruction, number = operand
    bundle = program.bundle_at_address[address]
    span = program.bundles[bundle].syntax.operand_span(instruction, number)
    return TextEdit(program.span(bundle, span), text)


def _text(program: Program, place: Place, change: Rewriting) -> str:
    """Return the text of an instruction with its new operands."""
    address, instruction = place
    number = program.bundle_at_address[address]
    syntax = program.bundles[number].syntax
    span = program.span(number, syntax.instruction_span(instruction))
    edits = [
        _operand_edit(program, operand, text)
        for operand, text in change.operands.items()
        if operand[:2] == place
    ]
    inner = [
        TextEdit(Span(edit.span.start - span.start, edit.span.end - span.start), edit.new_text)
        for edit in edits
    ]
    return apply_edits(program.text[span.start : span.end], sorted(inner))


def _first_edits(program: Program, instructions: tuple[str, ...]) -> Iterator[TextEdit]:
    """Yield the edit that puts instructions before the first bundle, each in one of its own."""
    if not instructions:
        return
    number = program.bundle_at_address[0]
    bundle = program.bundles[number]
    first = program.span(number, bundle.syntax.instruction_span(0)).start
    start = first if bundle.label is None else program.label_span(bundle.label).start
    line = program.text.rfind("\n", 0, start) + 1
    indent = program.text[line:start]
    line_break = "\r\n" if "\r\n" in program.text else "\n"
    end = program.isa.surface.bundle_end
    if indent.strip():
        yield TextEdit(Span(start, start), "".join(f"{text}{end} " for text in instructions))
        return
    lines = "".join(f"{indent or _INDENT}{text}{end}{line_break}" for text in instructions)
    yield TextEdit(Span(line, line), lines)


_INDENT = "    "
_LEAST_SAVED = 2
"""A rewriting that saves fewer executed updates in a run is not worth the change."""


class Known(NamedTuple):
    """A program, its webs and runs; `kept` are registers that stay as they are."""

    program: Program
    webs: Webs
    observation: Observation
    kept: frozenset[str]

    @property
    def names(self) -> Sequence[str]:
        """The names of the registers that can change, by their positions."""
        names = scalar_registers(self.program.isa)
        return names.names[: names.changing]

    def movable(self) -> list[Web]:
        """Return the webs whose writes may be removed, those with the most executions first."""
        found = [
            (updates_at(self.observation, web.writes), web)
            for web in self.webs.webs
            if web.register not in self.kept and web.writes != {START}
        ]
        least = _LEAST_SAVED * len(self.observation.presets)
        saving = [pair for pair in found if pair[0] >= least]
        return [web for _, web in sorted(saving, key=lambda pair: -pair[0])]


def unread_updates(known: Known) -> Iterator[Rewriting]:
    """Yield the rewriting without updates that nothing reads, if there are any."""
    kept = {place for web in known.webs.webs if web.register in known.kept for place in web.writes}
    unread = {place for web in known.webs.webs for place in web.writes - known.webs.readers.keys()}
    removed = frozenset(unread - kept - {START})
    if removed:
        yield Rewriting(removed=removed)


def merged_updates(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings in which an update with a constant joins those that it follows."""
    readers = known.webs.readers
    for web in known.movable():
        for place in sorted(web.writes - {START}):
            update = constant_update(known.program, place)
            own = [read for read in web.reads if read.place == place]
            if update is None or not update.is_step or len(own) != 1:
                continue
            before = known.webs.seen[own[0]]
            values = {other: constant_update(known.program, other) for other in before - {START}}
            is_alone = all(readers[other] == {own[0]} for other in values)
            if not is_alone or START in before or place in before:
                continue
            operands = {
                (*other, each.operand): str(each.value + update.value)
                for other, each in values.items()
                if each is not None and each.fits(each.value + update.value)
            }
            if len(operands) == len(values):
                yield Rewriting(operands, frozenset({place}))


def equal_registers(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings in which the reads of a web get registers with the same values."""
    for web in known.movable():
        same = [known.observation.same.get(read, frozenset()) for read in web.uses]
        if not same or not all(same):
            continue
        common = frozenset.intersection(*same)
        chosen = [min(common or each) for each in same]
        operands = {
            _operand(read): known.names[register] for read, register in zip(web.uses, chosen)
        }
        yield Rewriting(operands, web.writes - {START})


def other_decisions(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings in which a branch compares another register than its counter."""
    steps = steps_of(known.program)
    for web in known.movable():
        if len(web.uses) != 1:
            continue
        [use] = web.uses
        decisions = known.observation.decisions.get(use.address, ())
        branch = steps[use.address].branch
        partner = _partner(known, use)
        if branch is None or not branch.relation or partner is None:
            continue
        if len({each.taken for each in decisions}) < 2:
            continue  # where it leads else is not known, or is after what was observed
        yield from _with_registers(known, web, use, partner, steps[use.address])
        yield from _with_constants(known, web, use, partner, steps[use.address])


def constant_registers(known: Known) -> Iterator[Rewriting]:
    """Yield rewritings in which reads that always get one number get it from another register.

    That is one which has the number already, or a free one. If all reads of a web get numbers, they
    are replaced all at once; else those of one number.
    """
    free = free_registers(known)
    for web in known.movable():
        reads = _reads_by_constant(known, web)
        texts = {value: _register_with(known, each) for value, each in reads.items()}
        missing = [value for value, text in texts.items() if not text]
        is_only = sum(web.register == other.register for other in known.webs.webs) == 1
        usable = [web.register, *free] if is_only else free
        is_whole = bool(web.uses) and sum(map(len, reads.values())) == len(web.uses)
        if is_whole and len(missing) <= len(usable):
            chosen = dict(zip(missing, usable))
            yield from _from_constants(known, reads, texts | chosen, chosen, web.writes - {START})
        for value in sorted(reads, key=lambda value: -_executions(known, reads[value])):
            if texts[value] or free:
                chosen = {} if texts[value] else {value: free[0]}
                yield from _from_constants(
                    known, {value: reads[value]}, texts | chosen, chosen, frozenset()
                )


def _reads_by_constant(known: Known, web: Web) -> dict[int, list[Read]]:
    found: dict[int, list[Read]] = {}
    for read in web.uses:
        if read in known.observation.constants:
            found.setdefault(signed(known.observation.constants[read]), []).append(read)
    return {value: reads for value, reads in found.items() if _executions(known, reads) > 1}


def _register_with(known: Known, reads: Sequence[Read]) -> str:
    """Return a register that has the value of some reads whenever they read; else nothing."""
    same = frozenset.intersection(*(known.observation.same[read] for read in reads))
    return known.names[min(same)] if same else ""


def _from_constants(
    known: Known,
    reads: Mapping[int, Sequence[Read]],
    registers: Mapping[int, str],
    new: Mapping[int, str],
    removed: frozenset[Place],
) -> Iterator[Rewriting]:
    """Yield the rewriting with reads of registers, of which `new` ones are set at the start."""
    first = [setting(known, register, value) for value, register in new.items()]
    written = tuple(text for text in first if text is not None)
    if len(written) == len(first):
        operands = {
            _operand(read): registers[value] for value, each in reads.items() for read in each
        }
        yield Rewriting(operands, removed, written)


def _executions(known: Known, reads: Sequence[Read]) -> int:
    return sum(known.observation.executions[read.address] for read in reads)


def free_registers(known: Known) -> list[str]:
    """Return the registers that a program does not use."""
    used = {web.register for web in known.webs.webs} | known.kept
    return [name for name in known.names if name not in used]


def _operand(read: Read) -> tuple[int, int, int]:
    return read.address, read.instruction, read.operand


def _partner(known: Known, use: Read) -> Read | None:
    """Return the other operand that a branch compares."""
    others = [r for r in known.webs.seen if r.place == use.place and r.operand != use.operand]
    return others[0] if len(others) == 1 else None


def _with_registers(
    known: Known, web: Web, use: Read, partner: Read, step: Step
) -> Iterator[Rewriting]:
    """Yield comparisons of two registers that have the right outcome each time."""
    decisions = known.observation.decisions[use.address]
    count = len(known.names)
    own = known.names.index(web.register)
    other = known.names.index(partner.register)
    pairs = [(p, other) for p in range(count)]
    pairs += [(p, q) for q in range(count) if q not in (own, other) for p in range(count)]
    for p, q in pairs:
        if p in (own, q):
            continue
        if all(_decides(each, p, q, use.operand < partner.operand, step) for each in decisions):
            operands = {_operand(use): known.names[p], _operand(partner): known.names[q]}
            yield Rewriting(operands, web.writes - {START})
            return


def _decides(decision: Decision, p: int, q: int, is_left: bool, step: Step) -> bool:
    """Return whether two registers have the branch's outcome, whatever values the host sets."""
    given, drawn = decision.values
    if (given[p] - given[q] - drawn[p] + drawn[q]) & 0xFFFF_FFFF:
        return False
    assert step.branch is not None
    left, right = (p, q) if is_left else (q, p)
    return holds(step.branch.relation, given[left], given[right]) is decision.taken


def _with_constants(
    known: Known, web: Web, use: Read, partner: Read, step: Step
) -> Iterator[Rewriting]:
    """Yield comparisons of a register with a number, which a register gets where it was set."""
    assert step.branch is not None
    decisions = known.observation.decisions[use.address]
    own = known.names.index(web.register)
    is_left = use.operand < partner.operand
    other = known.webs.web_of(partner)
    for p in range(len(known.names)):
        bound = None if p == own else _bound(decisions, p, step.branch.relation, is_left)
        if bound is None:
            continue
        if other.uses == [partner] and other.register not in known.kept:
            values = set_to(known, other, bound)
            if values is not None:
                yield Rewriting({**values, _operand(use): known.names[p]}, web.writes - {START})
        sets = {w for w in web.writes - {START} if not _is_step(known, w)}
        values = set_to(known, web._replace(writes=frozenset(sets)), bound)
        if values is not None and sets and START not in web.writes:
            compared = {_operand(use): known.names[p], _operand(partner): web.register}
            yield Rewriting({**values, **compared}, web.writes - sets)


def _bound(
    decisions: Sequence[Decision], register: int, relation: str, is_left: bool
) -> int | None:
    """Return a number, the same for all values of the host, that gives each outcome."""
    if any(each.values.given[register] != each.values.drawn[register] for each in decisions):
        return None
    taken = {signed(each.values.given[register]) for each in decisions if each.taken}
    others = {signed(each.values.given[register]) for each in decisions if not each.taken}
    if relation in ("==", "!="):
        equal, unequal = (taken, others) if relation == "==" else (others, taken)
        return next(iter(equal)) if len(equal) == 1 and not equal & unequal else None
    if not taken or not others:
        return None
    if relation == ">=":
        taken, others = others, taken
    if is_left:
        return min(others) if max(taken) < min(others) else None
    return max(others) if min(taken) > max(others) else None


def setting(known: Known, register: str, value: int) -> str | None:
    """Return the instruction that sets a register to a number; None if there is none."""
    return setting_text(known.program.isa, register, value)


def set_to(known: Known, web: Web, value: int) -> dict[tuple[int, int, int], str] | None:
    """Return the operands with which all writes of a web set a number; None if others write."""
    found = {}
    for place in web.writes:
        update = None if place == START else constant_update(known.program, place)
        if update is None or update.is_step or not update.fits(value):
            return None
        found[*place, update.operand] = str(value)
    return found


def _is_step(known: Known, place: Place) -> bool:
    update = constant_update(known.program, place)
    return update is None or update.is_step
