"""Labels that begin functions, and labels inside of functions, whatever their names are."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.flow.control_flow import CALL, RETURN, falls_through
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.program.program import Program, cached_on_program, is_local

_EXPORTING = (".globl", ".global", ".weak")
_TYPE, _FUNCTION_TYPES = ".type", ("function", "stt_func")


class _Uses(NamedTuple):
    """The labels that instructions use, by purpose.

    `branches` has the bundles of the branches to a label, `pointed` the labels that are put into
    registers other than those of hardware loops.
    """

    called: set[str]
    loop_bounds: set[str]
    pointed: set[str]
    branches: dict[str, list[int]]


@cached_on_program
def local_labels(program: Program) -> frozenset[str]:
    """Return the labels that are internal to a function.

    A function is declared by a directive, or called. In a text that declares functions, all other
    labels are local; in another one those that bound a loop, or that their own function branches to
    or goes on to.
    """
    isa = program.isa
    if not isa.surface.linked:
        return frozenset()
    declared = _declared(program)
    uses = _uses(program)
    # What a missing header or a call through a register reaches is unknown.
    has_unknown_calls = any(
        CALL in spec.traits and not instruction.labels
        for number in program.where(_calls)
        for instruction in program.bundles[number].instructions
        if (spec := instruction.spec) is not None
    )
    is_declaring = bool(declared) and not program.macros.reads_files
    if not has_unknown_calls:
        for name in uses.pointed:
            uses.branches.setdefault(name, [])
    ends = _ends_of_control(program)
    found = set(program.numeric_labels)
    start = 0
    for name, number in sorted(program.labels.items(), key=lambda each: each[1]):
        if name in declared or name in uses.called:
            start = number
            continue
        is_own = name in uses.branches and (
            program.addresses[number] not in ends
            or any(start <= branch < number for branch in uses.branches[name])
        )
        is_inside = is_declaring and (name not in uses.pointed or name in uses.branches)
        if is_local(isa, name) or name in uses.loop_bounds or is_own or is_inside:
            found.add(name)
        else:
            start = number
    return frozenset(found)


def _declared(program: Program) -> set[str]:
    """Return the names that directives declare as functions, or export."""
    found: set[str] = set()
    for _, bundle in program.directives:
        for words in bundle.syntax.directives:
            if words[0] in _EXPORTING:
                found.update(words[1:])
            elif words[0] == _TYPE and words[-1].strip('@%"').lower() in _FUNCTION_TYPES:
                found.add(words[1])
    return found & program.labels.keys()


def _uses(program: Program) -> _Uses:
    uses = _Uses(set(), set(), set(), {})
    registers = program.isa.loop_registers or ()
    for reference in program.references:
        instruction = program.bundles[reference.bundle].instructions[reference.use.instruction]
        spec = instruction.spec
        assert spec is not None
        if CALL in spec.traits:
            uses.called.add(reference.text)
        elif spec.flow is not None:
            uses.branches.setdefault(reference.text, []).append(reference.bundle)
        elif instruction.words[1].lower() in registers:
            uses.loop_bounds.add(reference.text)
        else:
            uses.pointed.add(reference.text)
    return uses


def _calls(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and any(
        each.spec is not None and CALL in each.spec.traits for each in bundle.instructions
    )


def _ends_of_control(program: Program) -> set[int]:
    """Return the addresses that control does not reach from the bundle before them."""
    return {
        program.addresses[number] + 1 + each.spec.delay_slots
        for number in program.where(_leaves)
        for each in program.bundles[number].instructions
        if each.spec is not None and _is_leaving(each.spec)
    }


def _leaves(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.transfers_control and any(
        each.spec is not None and _is_leaving(each.spec) for each in bundle.instructions
    )


def _is_leaving(spec: InstructionSpec) -> bool:
    return RETURN in spec.traits or (spec.flow is not None and not falls_through(spec.flow))
