"""Which registers instructions read and write, and when: from the text and from the word alike."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import encode_without_errors
from ipu_asm.emulator.model import decode_word
from ipu_asm.flow.accesses import RegisterAccess, accesses_of, decoded_accesses
from ipu_asm.isa import load_isa
from tests.programs import example_kernels

ISA = load_isa("ipu")


def check_accesses(text: str, *accesses: str) -> None:
    """The accesses of a bundle, each as register, access and time of the read."""
    (bundle,) = analyze(text).program.bundles
    found = [described(access) for access in accesses_of(ISA, bundle)]
    assert found == list(accesses)


def described(access: RegisterAccess) -> str:
    time = f" {access.timing.read}" if access.timing.read else ""
    return f"{access.register} {access.access}{time}"


def test_reads_have_their_time() -> None:
    check_accesses("add lr0 lr1 cr2;;", "lr0 w", "lr1 r snapshot", "cr2 r snapshot")
    check_accesses(
        "str_acc_reg lr0 cr0;;", "lr0 r live", "cr0 r live", "r_acc r snapshot", "xmem w"
    )


def test_an_instruction_may_read_what_it_writes() -> None:
    check_accesses("incr lr3 1;;", "lr3 rw live")
    check_accesses("acc;;", "mult_res r live", "r_acc rw snapshot")


def test_what_is_unknown_or_does_nothing_has_no_accesses() -> None:
    check_accesses("nonsense lr0;;")
    check_accesses("acc_nop;;")
    check_accesses("incr lr0 0;;")


@pytest.mark.parametrize("text", example_kernels().values(), ids=example_kernels())
def test_the_word_of_a_bundle_has_the_accesses_of_its_text(text: str) -> None:
    program = analyze(text).program
    for word, number in zip(encode_without_errors(program), program.bundle_at_address):
        codes = decode_word(ISA, word) if word is not None else []
        decoded = {
            described(access)
            for code in codes
            if code.spec is not None and not code.is_idle
            for access in decoded_accesses(ISA, code.spec, code.registers)
        }
        assert {
            described(access) for access in accesses_of(ISA, program.bundles[number])
        } == decoded
