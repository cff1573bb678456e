"""Images of IPU 2, and what its messages say about habits from the first IPU."""

from __future__ import annotations

import pytest

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.assembler.encode import assemble
from ipu_asm.assembler.images import decode_image, encode_image
from ipu_asm.isa import load_isa

IPU2 = load_isa("ipu2")
WORDS = assemble("INC lr0 1; NOP;;\nMULT.RC.VS lr0 0 lr1 cr15; BKPT;;\n", IPU2)


def check_message(text: str, said: str) -> None:
    """A text has one error, whose message says this."""
    (found,) = analyze(text, IPU2).diagnostics
    assert said in found.message


@pytest.mark.parametrize("image_format", ["bin", "hex", "mem"])
def test_an_image_has_the_words(image_format: str) -> None:
    image = encode_image(WORDS, IPU2, image_format)
    assert decode_image(image, IPU2, image_format) == WORDS
    assert decode_image(image, IPU2) == WORDS


def test_a_mem_image_has_the_form_of_the_first_assembler() -> None:
    lines = encode_image([*WORDS, 0x12], IPU2, "mem").decode().splitlines()
    assert lines == [f"0x0{word:x}" for word in WORDS] + ["0x000000012"]


def test_a_mem_image_may_have_numbers_in_any_base() -> None:
    image = f"{WORDS[0]}\n{WORDS[1]:#b}\n0o1_7\n".encode()
    assert decode_image(image, IPU2, "mem") == [*WORDS, 0o17]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("set lr0 128; BKPT;;", "found the number `128`; `SET` copies a config register"),
        ("add lr0 lr0 5; BKPT;;", "found the number `5`; `INC` adds a number from 0 to 255"),
        ("incr lr0 1; BKPT;;", "unknown mnemonic `incr`; `INC` adds a number"),
        ("acc; BKPT;;", "`ACC.ADD` adds the products"),
        ("mult.ev r0 lr0 lr1 lr2; BKPT;;", "`MULT.RC.VE` multiplies"),
        ("NOP; BKPT;;", "a written `NOP` takes the first slot that is free at its place"),
        ("ADDB lrd2 cr2; INC lr3 1; BKPT;;", "found a second write of `lr3`"),
    ],
)
def test_a_message_says_what_to_write(text: str, said: str) -> None:
    check_message(text, said)
