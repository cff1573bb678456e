"""What the rules about registers that nothing has loaded share."""

from __future__ import annotations

from typing import Iterator, Sequence

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.diagnostics import RelatedInformation
from ipu_asm.flow.accesses import access_span, accesses_of
from ipu_asm.flow.control_run.facts import ControlFacts
from ipu_asm.flow.unloaded_reads import UnloadedRead, UnloadedReads, scratch_reads, unloaded_reads
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.text import Span


def unloaded_reads_of(program: Program, facts: ControlFacts) -> Sequence[UnloadedRead]:
    """Return the reads of registers that nothing has loaded, in one configuration.

    There are none in a text without a halt: it is a fragment, and what comes before is unknown.
    """
    if not program.where(_halts):
        return ()
    name = f"unloaded_reads {sorted(facts.presets.items())}"
    earlier: UnloadedReads | None = program.cache.known_whole(name)
    inputs = facts, scratch_reads(program)
    found = program.cache.whole(name, inputs, lambda: unloaded_reads(program, facts, earlier))
    return found.reads


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
    for number, effects in zip(program.bundle_at_address, scratch_reads(program)):
        for register in effects.writes:
            found.setdefault(register, number)
    return found
