"""Runs in steps, to places, to the end; and what a bench says of the end of a kernel."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

from ipu_asm.emulator import CycleLimitError
from ipu_asm.testbench import Bench, KernelWarning, NotReachedError, Run

LOOP = "set lr1 5;;\nrow: incr lr0 1; bne lr0 lr1 row;;\nend: bkpt;;"


def loaded(text: str = LOOP, isa: str = "ipu", **options: Any) -> Bench:
    """A bench with a kernel that is not begun."""
    bench = Bench(isa=isa, **options)
    bench.load_text(text)
    return bench


def check_not_reached(bench: Bench, place: str | int, message: str, limit: int = 100) -> None:
    """A place is not reached, which is said with a message that matches."""
    with pytest.raises(NotReachedError, match=message):
        bench.until(place, limit)


def check_warnings(bench: Bench, *texts: str) -> None:
    """A run gives these warnings, each as `FILE:LINE: text`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bench.run()
    assert {each.category for each in caught} <= {KernelWarning}
    assert [f"{each.filename}:{each.lineno}: {each.message}" for each in caught] == list(texts)


# Steps and places.


def test_a_kernel_is_stepped_from_its_first_bundle_to_its_halt() -> None:
    bench = loaded()
    assert (bench.pc, bench.cycles, bench.labels) == (0, 0, {"row": 1, "end": 2})
    assert (bench.step(), bench.pc, bench.lr[:2]) == (1, 1, [0, 5])
    assert (bench.step(3), bench.pc, bench.lr[0], bench.cycles) == (3, 1, 3, 4)
    assert (bench.step(100), bench.pc, bench.cycles) == (4, 1024, 8)
    assert bench.step() == 0


def test_every_visit_of_a_label_is_reached_in_turn() -> None:
    bench = loaded()
    assert [(bench.until("row"), bench.lr[0]) for _ in range(5)] == [(1, n) for n in range(5)]
    assert (bench.until("end"), bench.lr[0]) == (2, 6)
    assert bench.run(resume=True) == Run(8, 1024, "bkpt", 3)


def test_a_place_may_be_an_address_or_a_condition() -> None:
    bench = loaded()
    assert (bench.until(2), bench.pc) == (7, 2)
    bench = loaded()
    assert (bench.until("lr0 == 4 and pc == row"), bench.lr[0]) == (5, 4)
    bench = loaded()
    assert (bench.until("cycle == 3"), bench.cycles) == (3, 3)


def test_a_place_that_is_not_reached_is_an_error_that_says_where_the_machine_is() -> None:
    check_not_reached(loaded(), "lr0 == 9", r"`lr0 == 9` was not reached: halted by `bkpt` in .*8$")
    check_not_reached(loaded(), "end", r"in front of bundle 1 \(`row`, line 2\): lr0 = 2.*: 3$", 3)
    bench = loaded()
    assert bench.until("end", 7) == 7
    for place in ("rwo", "lr0 =", "lr99 == 1"):
        with pytest.raises(ValueError, match=f"found `{place}`: .*; the labels are row, end"):
            bench.until(place)


def test_the_host_may_change_the_state_between_steps() -> None:
    bench = loaded()
    bench.until("row")
    bench.lr[0] = 3
    assert bench.run(resume=True).cycles == 5
    bench.pc = 1
    assert bench.step() == 1
    bench.lr[0] = 0
    assert bench.run() == Run(8, 1024, "bkpt", 3)


def test_steps_check_assertions_too() -> None:
    bench = loaded("set lr0 1;;\n# ASSERT r0[0] == 1\nbkpt;;")
    with pytest.raises(AssertionError, match=r"found r0\[0\] = 0"):
        bench.step(2)


def test_options_of_the_host_hold_while_a_run_is_resumed() -> None:
    bench = loaded("aaq;; bkpt;;")
    bench.r_acc = np.full(128, 64, np.int32)
    bench.run(aaq_shift=3)
    assert bench.aaq_result[0] == 8


def test_steps_work_on_the_other_ipu_and_after_its_mode_changes() -> None:
    bench = loaded("lp: INC lr0 1;; BKPT;;", "ipu2")
    assert (bench.step(), bench.lr[0]) == (1, 1)
    bench.configure(wide="fp32")
    assert (bench.until(1) if bench.pc == 0 else bench.step(), bench.pc) == (1, 1024)


# Limits and ends.


def test_a_run_is_limited_to_a_million_cycles() -> None:
    with pytest.raises(CycleLimitError, match="within 1,000,000 cycles"):
        loaded("x: b x;;").run()


def test_a_kernel_that_runs_off_its_end_gives_a_warning_with_its_place() -> None:
    text = (
        "<kernel>:3: the kernel runs off its end: no instruction halts it after bundle 1 (`x`, "
        "line 3), its last one; end it with `bkpt`"
    )
    check_warnings(loaded("acc;;\n\nx: acc;;"), text)
    check_warnings(loaded("acc;; bkpt;;"))
    check_warnings(loaded("set lr0 2000;; br lr0;;"))


# Registers as arrays.


SHAPES: dict[str, tuple[int, ...]] = {
    "r": (2, 128),
    "mem_bypass": (128,),
    "r_cyclic": (512,),
    "r_mask": (8, 128),
    "r_acc": (128,),
    "mult_res": (128,),
}
IPU_SHAPES = {**SHAPES, "r0": (128,), "aaq_result": (128,)}
IPU2_SHAPES = {
    **SHAPES,
    "r_wide": (2, 128),
    "r1_wide": (128,),
    "r_cyclic_wide": (512,),
    "post_aaq_reg": (128,),
}


@pytest.mark.parametrize(
    ("isa", "options", "shapes"), [("ipu", {}, IPU_SHAPES), ("ipu2", {"wide": "fp32"}, IPU2_SHAPES)]
)
def test_every_register_file_is_an_array_that_is_read_and_assigned(
    isa: str, options: dict[str, Any], shapes: dict[str, tuple[int, ...]]
) -> None:
    bench = Bench(isa=isa, **options)
    assert set(bench.state.layout.vectors) <= set(shapes)
    for name, shape in shapes.items():
        before = getattr(bench, name)
        assert before.shape == shape
        assert not before.flags.writeable
        changed = np.arange(before.size).reshape(shape).astype(before.dtype)
        setattr(bench, name, changed)
        bench.assert_bit_exact(getattr(bench, name), changed)


def test_scalar_registers_are_arrays_of_numpy_too() -> None:
    bench = Bench()
    bench.lr[2] = -3
    numbers = np.asarray(bench.lr)
    assert numbers.dtype == np.int32
    assert (numbers.shape, numbers[2]) == ((16,), -3)
    assert (np.asarray(bench.lr) + 2)[2] == -1
    assert bench.cr.view().dtype == np.int32


# Which instruction has written a wrong element.

STORES = """\
# out = in * cr3 + in * cr3
    set lr0 0;;
    ldr_cyclic_mult_reg lr0 cr0 lr0; mult.ve.cr lr0 lr0 lr0 cr3;
    acc.first;;
    acc;;
    str_acc_reg lr0 cr1;
    bkpt;;
"""


def stored(text: str = STORES) -> Bench:
    """A bench whose kernel has stored an accumulator at 0x2000."""
    bench = loaded(text)
    bench.cr[:4] = [0x1000, 0x2000, 0, 2]
    bench.put(0x1000, np.arange(128, dtype=np.int8))
    bench.run()
    return bench


def report(actual: Any, expected: Any) -> str:
    """What is said of a difference, with its notes."""
    with pytest.raises(AssertionError) as raised:
        Bench.assert_bit_exact(actual, expected)
    return "\n".join([str(raised.value), *getattr(raised.value, "__notes__", [])])


def test_a_report_names_the_store_and_the_instruction_that_made_the_value() -> None:
    bench = stored()
    found = bench.get(0x2000, (1, 128), np.int32)
    expected = (np.arange(128, dtype=np.int32) * 4)[None]
    expected[0, 5] = 21
    lines = report(found, expected).splitlines()
    assert lines == [
        "row 0, element 5: expected 21 (0x00000015), found 20 (0x00000014)",
        "1 of 128 elements differ, in 1 of 1 rows: 0",
        "`xmem[0x2014]` was written by `str_acc_reg lr0 cr1` in bundle 3 (line 6), cycle 3",
        "and held what `acc` in bundle 2 (line 5), cycle 2 had left in `r_acc[5]`",
        " --> <kernel>:5:5",
        "  |",
        "5 |     acc;;",
        "  |     ^^^",
    ]


@pytest.mark.parametrize("engine", ["core", "numpy"])
def test_both_engines_find_the_same_writers(engine: str) -> None:
    bench = loaded(
        "set lr1 300;;\nx: incr lr0 1; acc; bne lr0 lr1 x;;\nstr_acc_reg lr2 cr0;;\nbkpt;;"
    )
    bench.select_engine(engine)
    bench.mult_res = np.full(128, 2, np.int32)
    bench.run()
    text = report(bench.get(0, 128, np.int32), np.zeros(128, np.int32))
    assert "`xmem[0x0]` was written by `str_acc_reg lr2 cr0` in bundle 2" in text
    assert "and held what `acc` in bundle 1 (`x`, line 2), cycle 301 had left in `r_acc[0]`" in text


def test_slices_and_registers_have_writers_and_computed_arrays_have_none() -> None:
    bench = stored()
    words = bench.get(0x2000, (4, 32), np.int32)
    assert "`xmem[0x20c0]` was written by `str_acc_reg" in report(words[1, 16:].T, [7] * 16)
    expected = np.arange(128, dtype=np.int32) * 4
    expected[9] = 0
    assert "`r_acc[9]` was written by `acc` in bundle 2 (line 5), cycle 2" in report(
        bench.r_acc, expected
    )
    assert "written" not in report(words + 1, words)
    assert "written" not in report(bench.r_acc.copy(), expected)


def test_what_the_host_or_nobody_has_written_is_said_too() -> None:
    bench = stored()
    nothing = "no instruction has written `xmem[0x3000]` since the kernel was begun"
    lines = report(bench.get(0x3000, 4, np.int32), [1, 0, 0, 0]).splitlines()
    assert f"{nothing}; its stores have written 0x2000..0x21ff" in lines
    assert "" not in lines  # no question whether it was written
    bench.put(0x2000, np.int32(7))
    by_host = "`xmem[0x2000]` was written by the host after cycle 4"
    assert by_host in report(bench.get(0x2000, 1, np.int32), [0])


def test_a_kernel_without_stores_is_told_to_have_none() -> None:
    bench = loaded("acc;;\nbkpt;;")
    bench.run()
    text = report(bench.get(0, 4, np.int32), [1, 0, 0, 0])
    assert "`xmem[0x0]` since the kernel was begun; it has no stores" in text


def test_a_store_of_what_its_bundle_makes_too_late_is_told() -> None:
    bench = loaded("mult.ve.cr lr0 lr0 lr0 cr3; acc.first; str_acc_reg lr0 cr1;;\nbkpt;;")
    bench.r_cyclic = np.ones(512, np.int8)
    bench.cr[3] = 5
    bench.run()
    too_late = "`acc.first` beside the store comes too late"
    lines = report(bench.get(0, 4, np.int32), [1, 0, 0, 0]).splitlines()
    assert lines[2:4] == [
        "`xmem[0x0]` was written by `str_acc_reg lr0 cr1` in bundle 0 (line 1), cycle 0",
        f"before any instruction had written `r_acc[0]`; {too_late}",
    ]
    bench.load_text(
        "set lr2 1;;\nx: mult.ve.cr lr0 lr0 lr0 cr3; acc.first; str_acc_reg lr0 cr1;\n"
        "incr lr0 1; bne lr0 lr2 x;;\nbkpt;;"
    )
    bench.lr[0] = 0
    bench.run()
    lines = report(bench.get(2, 4, np.int32), [1, 0, 0, 0]).splitlines()
    earlier = "`acc.first` in bundle 1 (`x`, line 2), cycle 1 had left in `r_acc[0]`"
    assert f"and held what {earlier}; {too_late}" in lines


def test_writers_are_found_in_earlier_steps_with_their_cycles() -> None:
    bench = loaded()
    bench.load_text("acc.first;;\nset lr0 4;;\nset lr1 4; str_acc_reg lr0 cr1;;\nx: bkpt;;")
    bench.mult_res = np.full(128, 3, np.int32)
    bench.step()
    bench.step()
    bench.cr[1] = 0x100
    bench.until("x")
    bench.lr[1] = 5
    bench.run(resume=True)
    assert "by `str_acc_reg lr0 cr1` in bundle 2 (line 3), cycle 2" in report(
        bench.get(0x104, 1, np.int32), [0]
    )


def test_a_picture_shows_where_long_rows_differ() -> None:
    found = np.zeros((3, 128), np.int8)
    wrong = found.copy()
    wrong[1, 64:] = 1
    wrong[2, 3] = wrong[2, 0] = 1
    assert report(found, wrong).splitlines()[-5:-1] == [
        "where they differ (x); a mark stands for 2 elements:",
        "  1  " + 32 * "." + 32 * "x",
        "  2  xx" + 62 * ".",
        "",
    ]


def test_arrays_do_not_keep_the_machine_alive() -> None:
    bench = stored()
    array, machine = bench.get(0x2000, 4, np.int32), weakref.ref(bench.state)
    gc.disable()
    try:
        del bench
        assert machine() is None
    finally:
        gc.enable()
    assert "written" not in report(array, [1, 1, 1, 1])


def test_a_bench_in_the_middle_of_a_run_goes_to_another_process() -> None:
    bench = Bench()
    bench.load_text("set lr1 9;; x: incr lr0 1; bne lr0 lr1 x;; bkpt;;")
    bench.put(0x40, np.arange(4, dtype=np.int8))
    bench.until("lr0 == 5")
    data = pickle.dumps(bench)
    other: Bench = pickle.loads(data)
    assert (other.pc, other.labels, other.cycles) == (bench.pc, bench.labels, bench.cycles)
    assert other.model is bench.model
    assert other.run(resume=True) == bench.run(resume=True)
    assert other.lr[:] == bench.lr[:]
    assert other.get(0x40, 4, np.int8).tolist() == [0, 1, 2, 3]
