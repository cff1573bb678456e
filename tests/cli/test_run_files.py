"""Data in and out of `ipu-run`: right bytes at right places, and no good file lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, give_input, run

# Copies 128 bytes from cr0 to cr1, then faults if lr9 is no multiple of 128.
COPY = """\
ldr_mult_reg r0 lr0 cr0;;
ldr_cyclic_mult_reg lr0 cr0 lr0;;
mult.ve.cr lr0 lr0 lr0 cr2; acc.first;;
aaq;;
xmem.store_aaq_result lr0 cr1;;
ldr_cyclic_mult_reg lr0 cr0 lr9;;
bkpt;;
"""
DATA = bytes(range(128))
COPYING = "copy.s --load data@0x1000 --cr 0=0x1000 --cr 1=0x2000 --cr 2=1"
HELP = " (see `ipu-run --help`)\n"


FILES = {"copy.s": COPY, "endless.s": "x: b x;;", "data": DATA}


def check_files(
    arguments: str, status: int = 0, files: dict[str, bytes] | None = None, err: str | None = ""
) -> Ran:
    """How `ipu-run` ends and which files there are besides the inputs; all are as expected."""
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    if err is not None:
        assert ran.err == err
    there = {path.name for path in Path().iterdir()} - {"copy.s", "endless.s", "data"}
    assert there == set(files or {})
    for name, content in (files or {}).items():
        assert Path(name).read_bytes() == content
    assert Path("copy.s").read_text() == COPY
    assert Path("data").read_bytes() == DATA
    return ran


def test_memory_goes_in_and_out() -> None:
    ran = check_files(
        f"{COPYING} --dump all@0x2000:128 --dump part@0x2081:0x4 --dump before@0x1_07f:0b1",
        0,
        {"all": DATA, "part": bytes(4), "before": b"\x7f"},
    )
    expected = "wrote all (128 bytes), part (4 bytes), before (1 byte)"
    assert ran.out.splitlines()[-1] == expected


def test_the_end_of_memory_can_be_reached() -> None:
    arguments = "copy.s --load data@0x1fff80 --dump out@0x1fff7e:130"
    check_files(arguments, 0, {"out": bytes(2) + DATA})


def test_a_part_of_a_file_can_be_loaded_and_later_loads_win() -> None:
    arguments = "copy.s --load data@0:8 --load data@2:3 --dump out@0:9 --cr 1=0x2000"
    check_files(arguments, 0, {"out": bytes([0, 1, 0, 1, 2, 5, 6, 7, 0])})


def test_standard_streams_stand_for_files(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_input(monkeypatch, b"\xff\0\n")
    assert main(["copy.s", "--load", "-@4", "--dump", "-@3:5", "--cr", "1=0x2000"]) == 0
    out, err = capsysbinary.readouterr()
    assert out == b"\0\xff\0\n\0"
    assert err.startswith(b"halted by `bkpt` in bundle 6 (line 7)\n7 cycles in ")


def test_bytes_are_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipu_asm.cli.run.checks.is_terminal", lambda stream: True)
    message = "ipu-run: error: standard output is a terminal: name a file instead of `-`\n"
    check_files("copy.s --dump -@0:1", 2, None, message)


def test_a_dump_replaces_a_file_wholly() -> None:
    Path("out").write_bytes(b"long " * 1000)
    Path("out").chmod(0o640)
    check_files(f"{COPYING} --dump out@0x2000:128", 0, {"out": DATA})
    assert Path("out").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("option", ["--dump {}@0:1", "--trace {}", "--profile {}.json"])
def test_no_output_replaces_an_input_under_any_of_its_names(option: str) -> None:
    loaded = "a file that --load or --expect reads"
    for name, wanted, what in (("copy.s", "a", "the program"), ("data", "b", loaded)):
        output = option.format(wanted).split()[1].partition("@")[0]
        for make in (Path.symlink_to, Path.hardlink_to):
            make(Path(output), name)
            ran = run(main, f"{COPYING} {option.format(wanted)}".split())
            assert (ran.status, ran.out) == (2, "")
            assert ran.err == f"ipu-run: error: `{output}` would replace {what}{HELP}"
            Path(output).unlink()
    check_files(COPYING)


def test_if_one_output_fails_no_file_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("one").write_bytes(b"as before")
    move = os.replace

    def fail_for_two(source: str, target: str) -> None:
        if target.endswith("/two"):
            raise OSError(28, "No space left on device")
        move(source, target)

    monkeypatch.setattr(os, "replace", fail_for_two)
    outputs = "--dump new@0:1 --dump one@0x2000:1 --dump two@0x3000:1 --trace t.json"
    message = "ipu-run: error: two: no space left on device\n"
    ran = check_files(f"{COPYING} {outputs}", 2, {"one": b"as before"}, message)
    assert "wrote" not in ran.out


def test_no_more_is_read_than_fits_into_memory() -> None:
    with Path("long").open("wb") as file:
        file.truncate(3 << 30)
    for name in ("/dev/zero", "long"):
        ran = run(main, f"copy.s --load {name}@0x100000".split())
        assert (ran.status, ran.out) == (2, "")
        assert f"{name}: xmem has 0x200000 bytes, found more than 1,048,576 bytes for" in ran.err
        assert run(main, f"{COPYING} --load {name}@0x4000:16".split()).status == 0
    Path("long").unlink()


def test_a_program_is_not_read_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipu_asm.config.files.MOST_BYTES", 1_000)
    message = "ipu-run: error: /dev/zero: expected at most 1,000 bytes, found more\n"
    check_files("/dev/zero", 2, None, message)


@pytest.mark.parametrize(
    ("arguments", "stopped"),
    [(f"{COPYING} --lr 9=1", "fault"), (f"{COPYING} --max-cycles 5", "cycle-limit")],
)
def test_nothing_is_dumped_over_a_good_file(arguments: str, stopped: str) -> None:
    Path("out").write_bytes(b"as before")
    outputs = "--dump out@0x2000:128 --dump new@0:1 --trace t.json --profile p.json"
    ran = run(main, f"{arguments} {outputs}".split())
    assert (ran.status, Path("out").read_bytes()) == (1, b"as before")
    assert not Path("new").exists()
    assert ran.err.endswith("ipu-run: note: nothing was dumped\n")
    assert ran.out.splitlines()[-1] == "wrote t.json, p.json"
    for name in ("t.json", "p.json"):
        Path(name).rename("read")
        about = json.loads(Path("read").read_text())
        assert about.get("otherData", about)["stopped"] == stopped
        Path("read").unlink()
    check_files(arguments, 1, {"out": b"as before"}, None)


def test_a_run_that_stops_at_a_break_dumps() -> None:
    Path("a.s").write_text(COPY.replace("ldr_cyclic_mult_reg lr0 cr0 lr9", "break"))
    arguments = f"a.s --break {COPYING[7:]} --dump out@0x2000:128"
    check_files(arguments, 0, {"a.s": Path("a.s").read_bytes(), "out": DATA})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("none.s", "none.s: no such file or directory"),
        (".", ".: is a directory"),
        ("copy.s --load none@0", "none: no such file or directory"),
        ("copy.s --load .@0", ".: is a directory"),
        ("copy.s --load data@0:129", "data: expected at least 129 bytes, found 128 bytes"),
        (
            "copy.s --load data@0x1fff81",
            "data: xmem has 0x200000 bytes, found more than 127 bytes for address 0x1fff81",
        ),
        ("copy.s --dump out@0:1 --trace no/t", "no/t: there is no folder `no`"),
        ("copy.s --dump .@0:1", ".: is a directory"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_before_the_run(arguments: str, message: str) -> None:
    check_files(f"{arguments} --profile p.html", 2, None, f"ipu-run: error: {message}\n")


def test_a_folder_that_cannot_be_written_is_told_before_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Those who run tests as root may write everywhere.
    monkeypatch.setattr(os, "access", lambda path, mode: path != os.path.realpath(".."))
    message = "ipu-run: error: ../out: permission denied\n"
    check_files("endless.s --dump ../out@0:1", 2, None, message)


def test_a_device_may_be_written() -> None:
    check_files(f"copy.s --dump {os.devnull}@0:9")
    assert not Path(os.devnull).is_file()


def test_a_file_that_cannot_be_written_after_all_is_told() -> None:
    message = "ipu-run: error: /dev/full: no space left on device\n"
    ran = check_files("copy.s --dump /dev/full@0:9", 2, None, message)
    assert ran.out.startswith("halted by `bkpt`")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "expected FILE, a program or an image, or `-` for standard input, found none"),
        ("copy.s more", "unexpected argument `more`"),
        ("copy.s --jsn", "unknown option `--jsn`; did you mean `--json`?"),
        (
            "copy.s --load",
            "argument --load: expected FILE@ADDR[:LENGTH][:DTYPE] after it, found no",
        ),
        (
            "copy.s --load data",
            "argument --load: expected FILE@ADDR[:LENGTH][:DTYPE], found `data`",
        ),
        ("copy.s --load @0", "argument --load: expected FILE@ADDR[:LENGTH][:DTYPE], found `@0`"),
        (
            "copy.s --load data@x",
            "argument --load: expected a number such as 4096, 0x1000 or 1_000, found `x`",
        ),
        ("copy.s --load random@0:8", "argument --load: expected random:SEED such as random:7"),
        ("copy.s --load zeros:1@0:8", "argument --load: `zeros` takes no value, found `zeros:1`"),
        ("copy.s --load ramp@0", "argument --load: ramp needs a length, as in `ramp@0x0:1024`"),
        ("copy.s --load x.npy[a]@0", "argument --load: a .npy file has one array without a name"),
        ("copy.s --load x.npz[]@0", "argument --load: expected the name of an array as in FILE."),
        ("copy.s --load data@0:0x10x20", "argument --load: expected a length such as 4096 or"),
        ("copy.s --load data@0:8:i8:9", "argument --load: expected ADDR:LENGTH:DTYPE, found"),
        ("copy.s --dump ones@0:8", "argument --dump: expected a file to write, found `ones`"),
        (
            "copy.s --dump out@0x1ffffd:1:i32",
            "argument --dump: xmem has 0x200000 bytes, found 4 bytes at 0x1ffffd",
        ),
        (
            "copy.s --dump x.npz[a]@0:1 --dump x.npz[a]@1:1",
            "two dumps are the same array: `x.npz[a]` and `x.npz[a]`",
        ),
        (
            "copy.s --load data@0x200000",
            "argument --load: xmem has 0x200000 bytes, found address 0x200000",
        ),
        ("copy.s --load data@-1", "argument --load: xmem has 0x200000 bytes, found address -1"),
        (
            "copy.s --dump out@0",
            "argument --dump: expected FILE@ADDR:LENGTH[:DTYPE], found `out@0`",
        ),
        ("copy.s --dump out@0:0", "argument --dump: expected a length of at least 1, found 0"),
        (
            "copy.s --dump out@0x1fffff:2",
            "argument --dump: xmem has 0x200000 bytes, found 2 bytes at 0x1fffff",
        ),
        ("copy.s --dump a@0:10 --dump b@9:2", "--dump: `a@0:10` and `b@9:2` overlap"),
        ("copy.s --dump a@0:1 --dump ./a@1:1", "two outputs are the same file: `a` and `./a`"),
        (
            "copy.s --trace p.json --profile p.json",
            "two outputs are the same file: `p.json` and `p.json`",
        ),
        ("copy.s --dump ./copy.s@0:1", "`./copy.s` would replace the program"),
        ("copy.s --load data@0 --trace data", "`data` would replace a file that --load or"),
        ("copy.s --profile p.txt", "argument --profile: expected a name that ends in .html or"),
        ("copy.s --trace-limit 5", "--trace-limit needs --trace"),
        ("- --load -@0", "standard input can be read only once"),
        ("copy.s --json --dump -@0:1", "--json and --dump cannot both write to standard"),
        ("copy.s --cr 3", "argument --cr: expected N=VALUE such as 3=0x1000, found `3`"),
        ("copy.s --cr cr3=1", "argument --cr: expected N=VALUE such as 3=0x1000, found `cr3=1`"),
        ("copy.s --cr 16=1", "argument --cr: there are registers 0 to 15, found 16"),
        ("copy.s --lr -1=1", "argument --lr: there are registers 0 to 15, found -1"),
        (
            "copy.s --lr 1=010",
            "argument --lr: expected a number such as 4096, 0x1000 or 1_000, found `010`",
        ),
        (
            "copy.s --lr 1=0x1_0000_0000",
            "argument --lr: a register has 32 bits, found `0x1_0000_0000`",
        ),
        ("copy.s --dtype fp8", "argument --dtype: expected one of int8, fp8_e4m3, fp8_e5m2, found"),
        ("copy.s --dtype int8 --cr 15=2", "--dtype sets cr15 to 0, --cr sets it to 2"),
        ("copy.s --max-cycles 0", "argument --max-cycles: expected at least 1, found 0"),
        ("copy.s --max-cycles -5", "argument --max-cycles: expected at least 1, found -5"),
        ("copy.s --aaq-shift 32", "argument --aaq-shift: expected 0 to 31, found 32"),
        ("copy.s --format elf", "argument --format: expected one of source, bin, hex, mem, found"),
        (
            "copy.s --isa npu",
            "argument --isa: instruction set `npu` is unknown; did you mean `ipu`?",
        ),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments: str, message: str) -> None:
    ran = check_files(arguments, 2, None, None)
    assert ran.err.startswith(f"ipu-run: error: {message}")
    assert ran.err.endswith(HELP)
    assert ran.err.count("\n") == 1
    assert ran.out == ""
