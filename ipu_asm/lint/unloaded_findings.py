"""What the rules about registers that nothing has loaded share."""

from __future__ import annotations

from typing import Iterator

from ipu_asm.bundle.bundle import Bundle, cached_on_bundle
from ipu_asm.diagnostics import RelatedInformation
from ipu_asm.flow.accesses import access_span, accesses_of
from ipu_asm.flow.control_run.facts import ControlFacts, control_facts
from ipu_asm.flow.register_flow import reads_of
from ipu_asm.flow.unloaded_reads import UnloadedRead, unloaded_reads
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span


def unloaded_reads_of(program: Program, facts: ControlFacts) -> tuple[UnloadedRead, ...]:
    """Return the reads of registers that nothing has loaded, in one configuration.

    There are none in a text without a halt: it is a fragment, and what comes before is unknown.
    """
    number = next(n for n, each in enumerate(control_facts(program)) if each is facts)
    return _unloaded_reads(program)[number]


@cached_on_program
def _unloaded_reads(program: Program) -> tuple[tuple[UnloadedRead, ...], ...]:
    if not program.where(_halts):
        return tuple(() for _ in control_facts(program))
    every = control_facts(program)
    reads = [_scratch_reads(program.isa, program.bundles[n]) for n in program.bundle_at_address]
    return program.cache.whole(
        "unloaded_reads",
        (every, reads),
        lambda: tuple(tuple(unloaded_reads(program, facts)) for facts in every),
    )


@cached_on_bundle
def _scratch_reads(isa: Isa, bundle: Bundle) -> tuple[frozenset[str], ...]:
    return tuple(registers & isa.scratch for registers in reads_of(isa, bundle))


def _halts(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.flow == "halt"


def place_of(program: Program, read: UnloadedRead) -> tuple[Span, str]:
    """Return the span of the register that is read, or of the mnemonic, and the mnemonic."""
    number = program.bundle_at_address[read.address]
    bundle = program.bundles[number]
    accesses = [
        access
        for access in accesses_of(program.isa, bundle)
        if access.reads and read.register in access.units
    ]
    access = next((each for each in accesses if not each.writes), accesses[0])
    span = program.span(number, access_span(bundle, access))
    return span, bundle.instructions[access.instruction].mnemonic


def loads_of(program: Program, register: str) -> Iterator[RelatedInformation]:
    """Yield the first place in the text that loads a register, if there is one."""
    number = _first_loads(program).get(register)
    if number is None:
        return
    bundle = program.bundles[number]
    for access in accesses_of(program.isa, bundle):
        if access.writes and register in access.units:
            span = program.span(number, access_span(bundle, access))
            yield RelatedInformation(span, f"`{register}` is loaded here")
            return


@cached_on_program
def _first_loads(program: Program) -> dict[str, int]:
    """Return the number of the first bundle that writes each scratch register."""
    found: dict[str, int] = {}
    for number in program.bundle_at_address:
        for register in _scratch_reads(program.isa, program.bundles[number])[-1]:
            found.setdefault(register, number)
    return found
