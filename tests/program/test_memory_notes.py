"""Parts of memory that the head comment of a kernel names."""

from __future__ import annotations

import pytest

from ipu_asm import analyze
from ipu_asm.program.program import Program
from ipu_asm.program.register_notes import MemoryNote, bases_of, memory_notes, note_at

HEAD = """\
# A kernel: 10 samples of 128 bytes, and 0x20 other things
#   cr0 = INPUT_BASE (inputs)
#   cr1 = WEIGHT_BASE
#   cr3 = SIZE
# Memory
#   0x00000   1,280 bytes   inputs[s][i] at s * 128 + i
#   0x20000  N * 128 bytes  weights, transposed
#   0x40000: 2 KiB: the two halves of it
"""


def program(head: str, isa: str = "ipu") -> Program:
    """A kernel that halts, with this head."""
    return analyze(f"{head}    bkpt;;\n", isa=isa).effective_program


def check_note(note: MemoryNote | None, name: str, start: int, size: int | None) -> None:
    """A note has this name and place."""
    assert note is not None
    assert (note.name, note.start, note.size) == (name, start, size)


def test_regions_have_their_place_and_first_words() -> None:
    inputs, weights, halves = memory_notes(program(HEAD))
    check_note(inputs, "inputs", 0, 1280)
    check_note(weights, "weights", 0x20000, None)
    assert weights.size_text == "N * 128 bytes"
    check_note(halves, "two", 0x40000, 2048)
    assert HEAD[inputs.span.start : inputs.span.end].strip().startswith("#   0x00000   1,280")


def test_rows_are_bytes_where_the_head_says_so() -> None:
    head = "# Memory, in rows of 128 bytes (for H up to 500)\n#  0x400  128 rows  weights\n"
    (weights,) = memory_notes(program(head, "ipu2"))
    check_note(weights, "weights", 0x20000, 16_384)


def test_base_registers_find_their_regions_by_name() -> None:
    found = bases_of(program(HEAD))
    assert {name: note.name for name, note in found.items()} == {"cr0": "inputs", "cr1": "weights"}


@pytest.mark.parametrize(
    "line", ["0x10 is the mask", "16 bytes more", "lr0 = 0x20 4 bytes x", "0x20 bytes of x", ""]
)
def test_other_comments_name_no_region(line: str) -> None:
    assert memory_notes(program(f"# {line}\n")) == ()


def test_an_address_is_in_the_region_before_it() -> None:
    notes = memory_notes(program(HEAD))
    check_note(note_at(notes, 1279), "inputs", 0, 1280)
    assert note_at(notes, 1280) is None
    check_note(note_at(notes, 0x3FFFF), "weights", 0x20000, None)
