"""The rules of EdgeNPU together: the document's program, and mutants of programs that hold."""

from __future__ import annotations

from itertools import product

import pytest

from ipu_asm.analysis.analyzer import analyze
from tests.targets.edgenpu.document import PROGRAM


def check_names(text: str, *names: str) -> None:
    """The text has findings of these names, in this order, and no others."""
    assert tuple(finding.name for finding in analyze(text, "edgenpu").diagnostics) == names


def sound_program(buffer: int, weights: int, result: int, address: int) -> list[str]:
    """A program without findings, line by line."""
    return [
        f"LOAD WB, {address:#x}, 4096, ASYNC",
        f"LOAD AB, {address + 0x10000:#x}, 4096",
        "SYNC WAIT_DMA",
        f"CONV AB[{result}], AB[{buffer}], WB[{weights}], RELU, desc=0x1000",
        "SYNC WAIT_COMPUTE",
        f"ACT AB[{result + 1}], AB[{result}], GELU",
        "SYNC WAIT_COMPUTE",
        f"STORE {address + 0x20000:#x}, AB[{result + 1}], 4096",
        "SYNC WAIT_DMA | IRQ",
    ]


PROGRAMS = [
    sound_program(buffer, weights, result, address)
    for buffer, weights, result, address in product(
        (0, 7), (0, 200), (1, 40, 99), (0x10000, 0x80000000)
    )
]


def test_the_program_of_the_reference_lacks_only_its_descriptor() -> None:
    check_names(PROGRAM, "conv-without-descriptor")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_that_waits_for_everything_is_silent(program: list[str]) -> None:
    check_names("\n".join(program))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    ("line", "names"),
    [
        (2, ("used-before-sync", "used-before-sync")),
        (4, ("used-before-sync",)),
        (6, ("used-before-sync",)),
        (8, ("store-without-sync",)),
    ],
)
def test_a_sync_that_is_taken_out_is_missed(
    program: list[str], line: int, names: tuple[str, ...]
) -> None:
    check_names("\n".join(program[:line] + program[line + 1 :]), *names)


@pytest.mark.parametrize("program", PROGRAMS)
def test_other_mutants_find_their_rule_and_no_other(program: list[str]) -> None:
    def mutant(line: int, old: str, new: str) -> str:
        assert old in program[line]
        return "\n".join([*program[:line], program[line].replace(old, new), *program[line + 1 :]])

    check_names(mutant(2, "WAIT_DMA", "WAIT_COMPUTE"), *["used-before-sync"] * 2)
    check_names(mutant(2, " WAIT_DMA", ""), "sync-for-everything")
    check_names(mutant(0, "4096", "262145"), "transfer-too-long")
    check_names(mutant(7, "4096", "0x50000"), "transfer-too-long")
    check_names(mutant(3, ", desc=0x1000", ""), "conv-without-descriptor")
    check_names(mutant(3, "RELU", "ASYNC"), "unknown-keyword")
    check_names(mutant(0, "0000,", "0010,"), "immediate-out-of-range")


def test_a_program_longer_than_the_instruction_buffer_is_refused() -> None:
    check_names("NOP 1\n" * 2048)
    check_names("NOP 1\n" * 2049, "program-too-large")


def test_a_load_fills_all_buffers_of_its_memory() -> None:
    check_names(
        "LOAD WB, 0, 16\nSYNC WAIT_DMA\nLOAD AB, 0, 16\nACT AB[4], AB[200], RELU\n",
        "used-before-sync",
    )
    check_names("LOAD WB, 0, 16\nACT AB[4], AB[200], RELU\nSYNC WAIT_DMA\n")
