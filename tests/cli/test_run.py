"""`ipu-run`: what it executes, how it ends, and what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ipu_asm import __version__, assemble
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.run.command import main
from ipu_asm.emulator import DType
from ipu_asm.targets.ipu.machine.ipu import Ipu
from tests.cli.commands import Ran, give_input, run
from tests.emulator.test_examples import published_case
from tests.example_references import DTYPES, ROOT, TYPE_NAMES

COUNT = """\
# counts to four
    set lr1 3;;
loop:
    break.ifeq lr0 2; incr lr0 1;
    bne lr0 lr1 loop;;
    break;;
    bkpt;;
"""
FAULT = """\
set lr0 1;;
x: incr lr0 5;
  # ipu: ignore[access-outside-memory]
  ldr_cyclic_mult_reg lr1 cr4 lr0;;
bkpt;;
"""
ENDLESS = "x: incr lr0 1; b x;;\n"
SPEED = re.compile(r"[\d,]+ cycles? in \d+\.\d{3} s, [\d,]+ cycles per second")


FILES = {"count.s": COUNT, "fault.s": FAULT, "endless.s": ENDLESS}


def check_run(
    arguments: str, status: int = 0, message: str | None = None, err: str | None = ""
) -> Ran:
    """How `ipu-run` ends, the first line of what it prints, and what it complains about."""
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    if message is not None:
        first, second, *_ = ran.out.splitlines()
        assert first == message
        assert SPEED.fullmatch(second)
    if err is not None:
        assert ran.err == err
    return ran


def check_json(arguments: str, status: int = 0) -> dict[str, Any]:
    """The object that `ipu-run --json` prints, and nothing else."""
    ran = check_run(f"--json {arguments}", status, err=None)
    result: dict[str, Any] = json.loads(ran.out)
    return result


@pytest.mark.parametrize("dtype", DTYPES["fully_connected"])
def test_the_fully_connected_layer_is_exact_to_the_bit(dtype: int) -> None:
    case = published_case("fully_connected", dtype)
    loads = ""
    for number, (address, content) in enumerate(case.load):
        Path(f"in{number}").write_bytes(content)
        loads += f" --load in{number}@{address:#x}"
    registers = " --cr 0=0 --cr 1=0x20000 --cr 2=0x4_0000"
    ((address, results),) = case.expect
    check_run(
        f"{ROOT}/examples/fully_connected.s --dtype {TYPE_NAMES[dtype]}{registers}{loads} "
        f"--dump out@{address:#x}:{len(results)}",
        0,
        "halted by `bkpt` in bundle 6 (`element+2`, line 60)",
    )
    assert Path("out").read_bytes() == results


def test_breaks_count_on_request() -> None:
    message = "stopped by `break.ifeq lr0 2` in front of bundle 1 (`loop`, line 4)"
    check_run("count.s --break", 0, message + ": lr0 = 2, lr1 = 3")
    message = "stopped by `break` in front of bundle 2 (`loop+1`, line 6)"
    Path("count.s").write_text(COUNT.replace("break.ifeq lr0 2", "break.ifeq lr0 9"))
    check_run("count.s --break", 0, message)


def test_a_break_of_the_first_bundle_counts() -> None:
    Path("a.s").write_text("break; set lr0 1;;")
    result = check_json("a.s --break")
    assert (result["stopped"], result["cycles"], result["registers"]["lr0"]) == ("break", 0, 0)


def test_a_break_behind_many_cycles_stops_exactly_there() -> None:
    Path("a.s").write_text("x: break.ifeq lr0 30000; incr lr0 1; b x;;")
    for options in ("", " --profile p.json"):
        result = check_json(f"a.s --break{options}")
        assert (result["cycles"], result["registers"]["lr0"]) == (30_000, 30_000)


@pytest.mark.parametrize(("limit", "status"), [(6, 1), (7, 0)])
def test_a_run_may_take_exactly_its_cycles(limit: int, status: int) -> None:
    assert check_json(f"count.s --max-cycles {limit}", status)["cycles"] == limit


def test_a_program_with_errors_is_shown_as_the_linter_shows_it() -> None:
    Path("bad.s").write_text("acc.frist;;\nb nowhere;;\n")
    ran = check_run("bad.s --dump out@0:1 --trace t --profile p.json", 1, err=None)
    assert ran.err.startswith("error[E101]: unknown mnemonic `acc.frist`")
    assert "\n\nerror[E301]: no label `nowhere` in this file\n --> bad.s:2:3\n" in ran.err
    assert ran.err.endswith("\n\n2 errors, nothing run\n")
    assert ran.out == ""
    assert sorted(path.name for path in Path().iterdir() if path.suffix != ".s") == []


def test_the_result_can_be_read_by_a_program() -> None:
    result = check_json("count.s --dtype fp8_e5m2 --cr 3=-1 --lr 7=0b101")
    assert {key: result[key] for key in ("stopped", "pc", "last_bundle", "place", "cycles")} == {
        "stopped": "halted",
        "pc": 1024,
        "last_bundle": 3,
        "place": {"bundle": 3, "line": 7, "label": "loop+2"},
        "cycles": 7,
    }
    assert result["program"] == "count.s"
    assert result["message"] == "halted by `bkpt` in bundle 3 (`loop+2`, line 7)"
    assert result["seconds"] > 0
    assert result["cycles_per_second"] == pytest.approx(7 / result["seconds"], rel=0.1)
    assert (result["dtype"], result["fault"]) == ("fp8_e5m2", None)
    expected = {"lr0": 4, "lr1": 3, "lr7": 5, "cr3": 0xFFFF_FFFF, "cr15": 2}
    assert {name: value for name, value in result["registers"].items() if value} == expected
    assert len(result["registers"]) == 36
    assert "vectors" not in result


def test_a_fault_can_be_read_by_a_program() -> None:
    result = check_json("fault.s", 1)
    assert (result["stopped"], result["pc"], result["cycles"]) == ("fault", 1, 1)
    assert (result["last_bundle"], result["place"]["bundle"]) == (None, 1)
    assert result["message"].startswith("fault in bundle 1 (`x`, line 4): the cyclic index must be")
    assert result["fault"] == {
        "pc": 1,
        "cycle": 1,
        "slot": "xmem",
        "instruction": "ldr_cyclic_mult_reg lr1 cr4 lr0",
        "cause": "the cyclic index must be a multiple of 128, found 0x6",
        "registers": {"lr1": 0, "cr4": 0, "lr0": 6},
        "word": f"{assemble(FAULT)[1]:#x}",
        "filename": "fault.s",
        "location": {"row": 4, "column": 3},
        "end_location": {"row": 4, "column": 34},
    }


def test_element_types_are_those_of_the_emulator() -> None:
    for dtype in DType:
        result = check_json(f"count.s --dtype {dtype.name.lower()}")
        assert (result["registers"]["cr15"], result["dtype"]) == (dtype, dtype.name.lower())
    assert check_json("count.s --cr 15=7")["dtype"] is None
    assert check_json("count.s --cr 15=1")["dtype"] == "fp8_e4m3"


STATE = """\
ldr_mult_reg r0 lr0 cr0;; ldr_cyclic_mult_reg lr0 cr0 lr0;;
mult.ee r0 lr0 lr0 lr0; acc.first; set lr2 -3;; bkpt;;
"""


def test_several_registers_may_follow_one_option() -> None:
    wanted = {"cr0": 1, "cr1": 0xFFFFFFFF, "lr5": 7}
    for arguments in (
        "count.s --cr 0=1 1=-1 --lr 5=7",
        "--cr 0=1 1=-1 --lr 5=7 count.s",
        "--cr 0=1 --cr=1=-1 count.s --lr=5=7",
    ):
        found = json.loads(check_run(f"{arguments} --json").out)["registers"]
        assert {name: found[name] for name in wanted} == wanted
    check_run("count.s --load zeros@0 1=2", 2, err=None)


def test_all_registers_are_printed_on_request() -> None:
    Path("state.s").write_text(STATE)
    Path("data").write_bytes(bytes([1, 2, 3, 0xFC]) + bytes(92) + bytes([1] * 32))
    ran = check_run("state.s --load data@0 --state")
    lines = ran.out.splitlines()[2:]
    assert lines[0] == "pc = 1024 (halted), last bundle 3, element type int8"
    assert " ".join(lines[1].split()) == "lr0 = 0 lr1 = 0 lr2 = -3 (0xfffffffd) lr3 = 0"
    assert "r1: all zero" in lines
    rows = lines[lines.index("r0:") + 1 :][:4]
    assert rows == [
        "    0: 01 02 03 fc" + " 00" * 28,
        "   32:" + " 00" * 32,
        "    *",
        "   96:" + " 01" * 32,
    ]
    words = [line.split() for line in lines[lines.index("r_acc:") + 1 :][:4]]
    assert " ".join(words[0]) == "0: 1 4 9 16 0 0 0 0"
    assert [" ".join(row) for row in words[1:3]] == ["8: 0 0 0 0 0 0 0 0", "*"]
    assert " ".join(words[3]) == "96: 1 1 1 1 1 1 1 1"


def test_words_are_printed_in_the_element_type() -> None:
    Path("state.s").write_text(STATE)
    Path("data").write_bytes(bytes([0x38, 0x40, 0xB0, 0x7F]) + bytes(124))
    ran = check_run("state.s --load data@0 --state --dtype fp8_e4m3")
    lines = ran.out.splitlines()
    assert " ".join(lines[lines.index("mult_res:") + 1].split()) == "0: 1 4 0.25 nan 0 0 0 0"
    vectors = check_json("state.s --load data@0 --state")["vectors"]
    assert vectors["r0"] == Path("data").read_bytes().hex()
    assert {name: len(content) // 2 for name, content in vectors.items()} == {
        "r0": 128,
        "r1": 128,
        "mem_bypass": 128,
        "r_cyclic": 512,
        "r_mask": 128,
        "r_acc": 512,
        "mult_res": 512,
        "aaq_result": 128,
    }


@pytest.mark.parametrize("arguments", ["fault.s", "endless.s --max-cycles 9"])
def test_the_state_of_a_bad_run_is_printed_too(arguments: str) -> None:
    ran = check_run(f"{arguments} --state", 1, err=None)
    assert re.search("^lr0 = [19]  ", ran.out, re.MULTILINE)


def test_the_first_silicons_shift_can_be_asked_for() -> None:
    Path("a.s").write_text("ldr_mult_reg r0 lr0 cr0; mult.ve.cr lr1 lr0 lr0 cr1; acc.first; aaq;;")
    Path("data").write_bytes(bytes([64] * 128))
    arguments = "a.s --load data@0 --cr 1=64 --lr 1=512 --state"
    for options, byte in (("", 64), (" --aaq-shift 4", 4), (" --aaq-shift 31", 0)):
        result = check_json(arguments + options)
        assert result["vectors"]["aaq_result"] == bytes([byte] * 128).hex()


@pytest.mark.parametrize("name", ["bin", "hex", "mem", "lst"])
def test_an_image_is_executed_too(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    image_format = "listing" if name == "lst" else name
    arguments = ["assemble", "--format", image_format, "count.s", "-o", f"count.{name}"]
    assert run(assembler.main, arguments).status == 0
    check_run(f"count.{name}", 0, "halted by `bkpt` in bundle 3")
    give_input(monkeypatch, Path(f"count.{name}").read_bytes())
    check_run("-", 0, "halted by `bkpt` in bundle 3")
    if name != "lst":
        Path("image").write_bytes(Path(f"count.{name}").read_bytes())
        check_run(f"image --format {name}", 0, "halted by `bkpt` in bundle 3")


def test_a_fault_of_an_image_names_its_bundle() -> None:
    Path("fault.hex").write_text("".join(f"{word:#x}\n" for word in assemble(FAULT)))
    cause = "the cyclic index must be a multiple of 128, found 0x6"
    note = "bundle 1, cycle 1, slot xmem saw lr1 = 0, cr4 = 0, lr0 = 6"
    error = f"ipu-run: error: fault.hex: {cause}; {note}\n"
    check_run("fault.hex --cr 4=0", 1, "fault in bundle 1", error)

    ran = run(main, ["fault.hex"])
    assert ran.err == (
        f"{error}ipu-run: help: no value was given for cr4, and no data were loaded: "
        "give them with --cr N=VALUE and --load FILE@ADDR, or in ipu.toml\n"
    )
    assert check_json("fault.hex", 1)["fault"]["location"] is None
    check_run(
        "fault.hex --max-cycles 1",
        1,
        "stopped at the cycle limit in front of bundle 1: lr0 = 1, lr1 = 0, cr4 = 0",
        "ipu-run: error: fault.hex: the program did not halt within 1 cycle (--max-cycles); "
        "bundle 1 is next\n",
    )


def test_what_is_no_image_is_told() -> None:
    Path("a.bin").write_bytes(bytes(25))
    message = "ipu-run: error: a.bin: a word takes 24 bytes, found 25 bytes in all\n"
    check_run("a.bin", 1, None, message)
    Path("a.hex").write_text(f"0x{'f' * 48}\n\n0x1{'0' * 50}\n")
    lines = (f"ipu-run: error: a.hex:{line}: a word has 179 bits, found `0x" for line in (1, 3))
    ran = check_run("a.hex", 1, err=None)
    assert [line.startswith(start) for line, start in zip(ran.err.splitlines(), lines)] == [
        True
    ] * 2


def test_data_in_the_place_of_a_program_are_told_in_a_line() -> None:
    np.save("a.npy", np.zeros(1000, np.int8))
    np.savez("a.npz", np.zeros(1000, np.int8))
    expected = "expected an image (`ipu-as assemble` makes one of a source), found"
    for name, what in (("a.npy", "an array of numpy"), ("a.npz", "a ZIP archive")):
        check_run(name, 1, None, f"ipu-run: error: {name}: {expected} {what}\n")


def test_bits_that_stand_for_nothing_fault_when_they_are_executed() -> None:
    Path("a.hex").write_text(f"0x{assemble('acc;;')[0] | 1 << 96:048x}\n")
    assert check_json("a.hex --profile p.json --trace t.json")["cycles"] == 1024
    Path("a.hex").write_text(f"0x{assemble('acc;;')[0] | 3 << 94:048x}\n")
    result = check_json("a.hex --profile p.html --trace t.json", 1)
    assert "opcode 3 stands for no instruction of slot aaq" in result["fault"]["cause"]


def test_the_program_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    give_input(monkeypatch, "\ufeff" + COUNT)
    check_run("-", 0, "halted by `bkpt` in bundle 3 (`loop+2`, line 7)")
    give_input(monkeypatch, FAULT)
    assert " --> <stdin>:4:3\n" in check_run("-", 1, err=None).err


def test_a_word_that_is_hexadecimal_and_a_mnemonic_is_a_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    give_input(monkeypatch, "acc")
    assert check_json("-")["cycles"] == 1024


def test_a_program_without_an_end_is_told() -> None:
    Path("a.s").write_text("acc;;")
    outcome = "halted at the end of program memory: bundle 1023 was never loaded"
    ran = check_run("a.s", 0, outcome, None)
    assert ran.err.startswith("warning[W103]: the last bundle must halt")
    last = ran.err.splitlines()[-1]
    assert last.startswith("ipu-run: warning: the program ran past its last bundle and off the end")
    assert check_run("-W a.s", 0, outcome, None).err == f"{last}\n"


def test_the_instruction_set_is_chosen_as_for_the_other_commands() -> None:
    expected = "cannot be executed, only for `ipu`, `ipu2`, `xdna1`, `xdna2`\n"
    for arguments in ("count.s --isa edgenpu", "--isa edgenpu count.s"):
        message = "ipu-run: error: --isa: programs for `edgenpu` " + expected
        check_run(arguments, 2, None, message)
    Path("a.edgenpu").write_text(COUNT)
    message = "ipu-run: error: a.edgenpu: programs for `edgenpu` " + expected
    check_run("a.edgenpu", 2, None, message)
    check_run("a.edgenpu --isa ipu")
    Path("a.s").write_text("# isa: colossus\n" + COUNT)
    ran = check_run("a.s", 2, err=None)
    assert ran.err == "ipu-run: error: a.s:1: programs for `colossus` " + expected
    Path("ipu.toml").write_text("isa = 3\n")
    ran = check_run("count.s", 2, err=None)
    assert ran.err.startswith(f"ipu-run: error: {Path.cwd() / 'ipu.toml'}:1: `isa`: expected")


def test_a_program_that_the_machine_cannot_take_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ipu, "binding_errors", staticmethod(lambda specs: ["no method for it"]))
    check_run("count.s", 1, None, "ipu-run: error: count.s: no method for it\n")


def test_help_and_version_are_there() -> None:
    assert check_run("--version").out == f"ipu-run {__version__}\n"
    out = check_run("--help").out
    options = "--isa --dtype --cr --lr --load --dump --max-cycles --break --json --trace --profile"
    assert [option for option in options.split() if f" {option}" not in out] == []


def test_a_failure_of_our_own_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("oh")

    monkeypatch.setattr("ipu_asm.cli.run.execution.run_end_of", fail)
    ran = check_run("count.s", 3, err=None)
    assert ran.err.startswith("ipu-run: error: internal error: ValueError: oh; this is a bug")


def test_a_template_runs_with_values_from_outside() -> None:
    Path("t.asm").write_text(
        "{% for n in range(times) %}\nincr lr0 {{ n }};;\n{% endfor %}\nbkpt;;\n"
    )
    ran = check_run("t.asm --define times=4 --json", 0, None)
    assert json.loads(ran.out)["registers"]["lr0"] == 6
    Path("ipu.toml").write_text('[template."*"]\ncontexts = [{times = 1}, {times = 2}]\n')
    refused = "t.asm: a template is assembled in one context, found 2: times=1; times=2"
    ran = check_run("t.asm", 2, None, None)
    assert ran.err == f"ipu-run: error: {refused}; choose with --define\n"


def test_a_fault_in_a_template_is_told_at_its_line() -> None:
    Path("t.asm").write_text(
        "{% for n in range(3) %}\nldr_cyclic_mult_reg lr0 cr{{ n }} lr0;;\n{% endfor %}\nbkpt;;\n"
    )
    ran = check_run("t.asm --cr 2=0x7fffffff", 1, None, None)
    assert ran.out.startswith("fault in bundle 2 (line 2")
    assert " --> t.asm:2:1\n" in ran.err
