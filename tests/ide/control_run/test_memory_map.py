"""The map of memory: regions, how they are used, through which registers, by which lines."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import analyze
from ipu_asm.ide.memory_map import MemoryMap, map_lines, memory_map
from tests.ide.control_run.kernels import HOST, KERNEL, WAITING, analysed

REGION = tuple[int, int, str, tuple[str, ...]]


def regions_of(found: MemoryMap) -> list[tuple[str, list[REGION]]]:
    return [
        (s.base, [(r.range.start, r.range.stop, r.kind, r.through) for r in s.regions])
        for s in found.strips
    ]


def test_with_values_of_the_host_there_is_one_strip() -> None:
    found = memory_map(analysed(KERNEL, HOST))
    assert regions_of(found) == [
        (
            "",
            [
                (0, 0x500, "read", ("cr0",)),
                (0x20000, 0x24000, "read", ("cr1",)),
                (0x40000, 0x40B00, "written", ("cr2",)),
            ],
        )
    ]
    assert [each.executions for each in found.accesses] == [10, 1280, 10]
    assert found.note == "1,303 cycles"


def test_registers_without_a_value_have_strips_of_their_own() -> None:
    assert regions_of(memory_map(analysed(KERNEL))) == [
        ("cr0", [(0, 0x500, "read", ("cr0",))]),
        ("cr1", [(0, 0x4000, "read", ("cr1",))]),
        ("cr2", [(0, 0xB00, "written", ("cr2",))]),
    ]


def test_bytes_that_are_read_and_written_are_a_region_of_their_own() -> None:
    text = "str_acc_reg lr0 cr0;;\nincr lr0 256; ldr_mult_reg r0 lr0 cr1;;\nbkpt;;\n"
    found = memory_map(analysed(text, {"cr0": 0, "cr1": 0}))
    ((_, regions),) = regions_of(found)
    assert regions == [
        (0, 256, "written", ("cr0",)),
        (256, 384, "both", ("cr0", "cr1")),
        (384, 512, "written", ("cr0",)),
    ]
    assert [each.accesses for each in found.strips[0].regions] == [(0,), (0, 1), (0,)]


def test_accesses_with_gaps_have_a_region_for_each_piece_if_they_are_few() -> None:
    text = "set lr1 512;;\nl: ldr_mult_reg r0 lr0 cr0;;\nincr lr0 256;;\nblt lr0 lr1 l;;\nbkpt;;\n"
    ((_, regions),) = regions_of(memory_map(analysed(text, {"cr0": 0})))
    assert [region[:2] for region in regions] == [(0, 128), (256, 384)]
    many = text.replace("set lr1 512", "set lr1 32000")
    ((_, regions),) = regions_of(memory_map(analysed(many, {"cr0": 0})))
    assert [region[:2] for region in regions] == [(0, 124 * 256 + 128)]


def test_many_accesses_with_gaps_are_drawn_as_the_range_around_each() -> None:
    loads = "".join("ldr_mult_reg r0 lr0 cr0;;\n" for _ in range(100))
    text = f"set lr1 7680;;\nl: {loads}incr lr0 256;;\nblt lr0 lr1 l;;\nbkpt;;\n"
    ((_, regions),) = regions_of(memory_map(analysed(text, {"cr0": 0})))
    assert [region[:2] for region in regions] == [(0, 29 * 256 + 128)]


def test_the_text_names_regions_and_jumps_to_instructions() -> None:
    analysis = analysed(KERNEL, HOST)
    lines = list(map_lines(analysis, memory_map(analysis)))
    assert [line.text for line in lines[:5]] == [
        "# memory map: 1,303 cycles",
        "",
        "# xmem, 2,097,152 bytes, addresses from 0",
        "0x00000..0x004ff  1,280 bytes, read through cr0",
        "    line 4: ldr_mult_reg r0 lr0 cr0  # 128 bytes at cr0 + 0x80 x k, k = 0..9; 10 times",
    ]
    assert [line.line for line in lines] == [None, None, None, None, 3, None, 5, None, 7]


NAMED = """\
# cr0 = INPUT_BASE
# cr1 = WEIGHT_BASE
# cr2 = RESULT_BASE
# Memory
#   0x00000   1,024 bytes   inputs, eight rows
#   0x20000  16,384 bytes   weights
#   0x40000   N * 4 bytes   results
# REGION out = cr2 + 0..0x500 write
"""


def names_of(text: str, host: dict[str, int]) -> list[list[tuple[int, int, str]]]:
    strips = memory_map(analysed(text, host)).strips
    return [[(r.range.start, r.range.stop, r.name) for r in s.regions] for s in strips]


def test_regions_have_the_names_of_the_head_comment_and_of_assertions() -> None:
    assert names_of(NAMED + KERNEL, HOST) == [
        [
            (0, 0x400, "inputs"),
            (0x400, 0x500, ""),
            (0x20000, 0x24000, "weights"),
            (0x40000, 0x40500, "out"),
            (0x40500, 0x40B00, "results"),
        ]
    ]
    analysis = analysed(NAMED + KERNEL, HOST)
    lines = [line.text for line in map_lines(analysis, memory_map(analysis))]
    assert "0x20000..0x23fff  weights: 16,384 bytes, read through cr1" in lines


def test_names_need_no_values_of_base_registers() -> None:
    assert names_of(NAMED + KERNEL, {}) == [
        [(0, 0x400, "inputs"), (0x400, 0x500, "")],
        [(0, 0x4000, "weights")],
        [(0, 0x500, "out"), (0x500, 0xB00, "results")],
    ]


def test_a_run_that_is_not_known_to_its_end_says_so() -> None:
    found = memory_map(analysed(WAITING))
    assert found.note == "cycles depend on cr4"
    assert [each.executions for each in found.accesses] == [None]


def test_bytes_of_a_loop_of_unknown_trips_are_named_apart() -> None:
    analysis = analysed(WAITING.replace("incr lr1 1;", "incr lr1 1; incr lr0 128;"))
    found = memory_map(analysis)
    assert [(strip.regions, strip.unknown) for strip in found.strips] == [((), (0,))]
    lines = [line.text for line in map_lines(analysis, found)]
    assert lines[3] == "bytes that depend on registers without a known value"
    assert lines[4].startswith("    line 2: ldr_mult_reg r0 lr0 cr1  # 128 bytes at cr1 + 0x80")


def test_a_template_has_the_places_of_what_is_written() -> None:
    text = "{% for n in range(2) %}\nstr_acc_reg lr{{ n }} cr0;;\n{% endfor %}\nbkpt;;\n"
    found = memory_map(analyze(text))
    assert {text[each.span.start : each.span.end] for each in found.accesses} == {
        "str_acc_reg lr{{ n }} cr0"
    }


def test_programs_with_errors_and_other_sets_have_a_note_only() -> None:
    for text, isa in (("nonsense;;", "ipu"), ("", "ipu"), (" nop\n", "xdna1")):
        found = memory_map(analyze(text, isa))
        assert not found.strips
        assert found.note.startswith("there is no map")
        assert len(list(map_lines(analyze(text, isa), found))) == 1
