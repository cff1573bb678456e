"""Arrays and generated data as options of `ipu-run`, and memory that is not as expected."""

from __future__ import annotations

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, run

# Copies 128 bytes a row from cr0 to cr1, 512 apart, for two rows.
COPY = """\
set lr0 -128; set lr1 128;;
set lr3 -512;;
row: ldr_cyclic_mult_reg lr0 cr0 lr9; mult.ve.cr lr9 lr9 lr9 cr2; acc.first; incr lr0 128;;
str_acc_reg lr3 cr1; incr lr3 512; bne lr0 lr1 row;;
bkpt;;
"""
ROWS = np.arange(-128, 128, dtype=np.int8).reshape(2, 128)
COPYING = "copy.s --cr 0=0x1000 --cr 1=0x2000 --cr 2=1 --load rows.npy@0x1000"


FILES = {"copy.s": COPY}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.save("rows.npy", ROWS)


def check(arguments: str, status: int = 0) -> Ran:
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    return ran


def test_arrays_go_in_and_out() -> None:
    dumps = "--dump out.npz[b]@0x2000:1x128:i32 --dump out.npz[a]@0x1000:3 --dump raw@0x2200:2:i32"
    ran = check(f"{COPYING} {dumps} -v")
    with np.load("out.npz") as found:
        assert sorted(found) == ["a", "b"]
        assert found["a"].tolist() == [128, 129, 130]
    assert Path("raw").read_bytes() == ROWS[1, :2].astype("<i4").tobytes()
    assert "loaded rows.npy, 256 bytes at 0x1000: |i1 2x128\n" in ran.out
    assert ran.out.endswith("wrote raw (8 bytes), out.npz (2 arrays)\n")


def test_memory_as_expected_is_said() -> None:
    words = ROWS.astype(np.int32)
    np.save("words.npy", words)
    Path("words.bin").write_bytes(words[0].tobytes())
    expected = "--expect words.npy@0x2000 --expect words.bin@0x2000:128:i32 --expect zeros@0:128"
    ran = check(f"{COPYING} {expected}")
    said = "as expected: words.npy at 0x2000, words.bin at 0x2000, zeros at 0x0"
    assert ran.out.splitlines()[-1] == said


def test_the_first_difference_is_shown_with_what_wrote_it() -> None:
    words = ROWS.astype(np.int32)
    words[1, 7] = 99
    np.save("words.npy", words)
    arguments = f"{COPYING} --expect words.npy@0x2000 --dump out@0x2000:4"
    ran = check(arguments, 1)
    message = (
        "ipu-run: error: copy.s: words.npy: row 1, element 7: expected 99 (0x00000063), found 7 "
        "(0x00000007); written by `str_acc_reg lr3 cr1` in bundle 3 (`row+1`, line 4), cycle 5\n"
        "1 of 256 elements differ, in 1 of 2 rows: 1\n"
    )
    assert ran.err == message
    assert Path("out").is_file()
    (compared,) = json.loads(check(f"{arguments} --json", 1).out)["expected"]
    assert compared["index"] == [1, 7]
    assert compared["written_by"]["bundle"] == 3
    assert compared["equal"] is False


def test_the_first_elements_of_an_array_fit_at_the_end_of_memory() -> None:
    part = "rows.npy@0x1ffffe:2"
    ran = check(f"{COPYING} --load {part} --expect {part}")
    assert ran.out.endswith("as expected: rows.npy at 0x1ffffe\n")


def test_a_difference_where_nothing_was_written_is_said() -> None:
    ran = check(f"{COPYING} --expect ones@0x8000:4:u8", 1)
    first = ran.err.splitlines()[0]
    assert first.endswith(
        "ones: element 0: expected 1 (0x01), found 0 (0x00); nothing in this run wrote it"
    )
    assert "was it written" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--expect none.npy@0", "none.npy: no such file or directory"),
        ("--load words.npy@0", "words.npy: expected elements of int8, found float32; with the"),
        ("--load rows.npy@0x1fff80", "rows.npy: xmem has 0x200000 bytes, found 256 bytes at 0x1f"),
        ("--load rows.npy@0x1fffff", "rows.npy: xmem has 0x200000 bytes, found 256 bytes at 0x1f"),
        ("--expect rows.npy@0x1ffffe", "rows.npy: xmem has 0x200000 bytes, found 256 bytes at 0x"),
        ("--load zeros@0x1fffff:1:i99", "zeros: expected one of the types i8, u8, i16, u16, i32,"),
        ("--dump out@0:8:float9", "out: expected one of the types i8, u8, i16, u16, i32, u32, f"),
        ("--expect words.npy@0:fp8", "words.npy: `e4m3` holds up to 448, found 1000.0 in element"),
        ("--load .npy@0", ".npy: no such file or directory"),
        ("--load empty.npy@0", "empty.npy: expected a .npy file, found an empty file"),
    ],
)
def test_data_that_cannot_be_used_are_told_in_a_line(arguments: str, message: str) -> None:
    np.save("words.npy", np.array([1000], np.float32))
    Path("empty.npy").touch()
    ran = check(f"{COPYING} {arguments}", 2)
    assert ran.err.startswith(f"ipu-run: error: {message}")
    assert ran.err.count("\n") == 1
    assert not Path("out").exists()


def test_elements_of_eight_bits_are_loaded_expected_and_dumped() -> None:
    numbers = np.linspace(-8, 8, 256).reshape(2, 128).astype(ml_dtypes.float8_e4m3fn)
    np.save("fp8.npy", numbers)
    np.save("wide.npy", numbers.astype(np.float64))
    np.save("words.npy", numbers.astype(np.float32))
    one = int(np.float32(1).astype(ml_dtypes.float8_e4m3fn).view(np.uint8))
    for load in ("fp8.npy@0x1000", "wide.npy@0x1000:e4m3"):
        arguments = (
            f"copy.s --dtype fp8_e4m3 --cr 0=0x1000 --cr 1=0x2000 --cr 2={one} --load {load}"
        )
        check(f"{arguments} --expect words.npy@0x2000 --expect fp8.npy@0x1000")
