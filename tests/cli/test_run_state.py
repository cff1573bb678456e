"""Values, early ends and saved states of `ipu-run`, and the mode that a program states."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import Ran, run

LOOP = """\
set lr0 0; set lr1 5;;
loop: incr lr0 1; bne lr0 lr1 loop;;
bkpt;;
"""


FILES = {"loop.s": LOOP, "other.s": "incr lr3 1;;\nbkpt;;\n"}


def check(arguments: str, status: int = 0) -> Ran:
    ran = run(main, [argument.replace("_", " ") for argument in arguments.split()])
    assert ran.status == status, ran.err
    return ran


def printed(arguments: str) -> list[str]:
    """What `ipu-run` prints after the two lines about the run."""
    return check(arguments).out.splitlines()[2:]


@pytest.mark.parametrize(
    ("expressions", "lines"),
    [
        ("lr0,lr1:x", ["lr0 = 6", "lr1:x = 0x00000005"]),
        ("r0[0..3]:u8,(lr0>4):d", ["r0[0..3]:u8 = [0, 0, 0, 0]", "(lr0>4):d = true"]),
        ("max(lr0,lr1),[lr0,lr1]", ["max(lr0,lr1) = 6", "[lr0,lr1] = [6, 5]"]),
        ("xmem[lr0_.._+2_:_i8],cycle", ["xmem[lr0 .. +2 : i8] = [0, 0]", "cycle = 8"]),
        ("lr0_?_1_:_u8", ["lr0 ? 1 : u8 = 1"]),
    ],
)
def test_values_are_printed_in_the_expressions_of_the_debugger(
    expressions: str, lines: list[str]
) -> None:
    assert printed(f"loop.s --print {expressions}") == lines


def test_a_vector_is_printed_in_rows_and_in_json() -> None:
    np.save("a.npy", np.arange(128, dtype=np.int8))
    lines = printed("loop.s --load a.npy@0 --print xmem[0_.._+32:i8]")
    assert lines[:2] == ["xmem[0 .. +32:i8] =", "    0: " + " ".join(f"{n:>2}" for n in range(16))]
    assert len(lines) == 3
    Path("nan.s").write_text("bkpt;;\n")
    expressions = "lr1,lr1:x,r0[0..1],f32(lr1),1/0,-inf"
    ran = check(f"nan.s --lr 1=-2 --json --print {expressions}", 1)
    reason = "the divisor must not be zero, found 1 divided by 0"
    assert ran.err == f"ipu-run: error: nan.s: no value for --print `1/0`: {reason}\n"
    found = json.loads(ran.out)
    values = [-2, "0xfffffffe", [0, 0], "nan", None, "-inf"]
    assert list(found["printed"].values()) == values


@pytest.mark.parametrize(
    ("until", "cycles"),
    [("loop", 1), ("lr0_==_3", 4), ("lr0_>_2_&&_pc_==_1", 4), ("cycle_==_5", 5), ("true", 0)],
)
@pytest.mark.parametrize("engine", ["core", "numpy"])
def test_a_run_ends_where_it_should(until: str, cycles: int, engine: str) -> None:
    ran = check(f"loop.s --until {until} --engine {engine} --json")
    found = json.loads(ran.out)
    assert (found["stopped"], found["cycles"]) == ("until", cycles)
    assert found["message"].startswith("stopped by --until in front of bundle ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--until lop", "argument --until: no register, label or name is called `lop`; did you"),
        ("--until lr0_+", "argument --until: "),
        ("--print lr99", "argument --print: no register is called `lr99`; there are lr0 to lr15"),
        ("--print lr0,,lr1", "argument --print: expected expressions such as lr4,r0:i8, found"),
        ("--print lr0]", "argument --print: "),
        ("--load-state none", "none: no such file or directory"),
        ("--load-state loop.s", "loop.s: expected a ZIP archive of arrays, found a broken one"),
        ("--save-state loop.s", "`loop.s` would replace the program"),
        ("--save-state a --dump a@0:1", "two outputs are the same file: `a` and `a`"),
        ("--save-state no/a", "no/a: there is no folder `no`"),
    ],
)
def test_what_cannot_be_meant_is_told_before_the_run(arguments: str, message: str) -> None:
    ran = check(f"loop.s {arguments}", 2)
    assert ran.err.startswith(f"ipu-run: error: {message}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("cycle", range(9))
def test_a_run_that_is_continued_ends_as_one_that_is_not(cycle: int) -> None:
    np.save("a.npy", np.arange(300, dtype=np.uint8))
    start = "loop.s --load a.npy@5000 --cr 3=7 --aaq-shift 4"
    check(f"{start} --save-state whole")
    check(f"{start} --until cycle_==_{cycle} --save-state part")
    check("loop.s --load-state part --save-state part")
    digests = [hashlib.sha256(Path(name).read_bytes()).digest() for name in ("whole", "part")]
    ended = cycle == 8  # another run begins, which is not what the test is about
    assert (digests[0] == digests[1]) is not ended
    with np.load("whole") as found:
        assert found["xmem"][5000:5300].tolist() == [*range(256), *range(44)]


def test_a_continued_run_ends_where_it_comes_to_the_label_again() -> None:
    for cycle in range(1, 6):
        start = "--load-state s" if cycle > 1 else ""
        ran = check(f"loop.s {start} --until loop --save-state s --print lr0")
        assert ran.out.startswith("stopped by --until in front of bundle 1 (`loop`, line 2)")
        assert ran.out.endswith(f"lr0 = {cycle - 1}\n")


def test_a_state_after_the_end_begins_another_program() -> None:
    check("loop.s --lr 3=8 --save-state s")
    lines = printed("other.s --load-state s --cr 2=9 --print lr0,lr3,cr2,pc")
    assert lines == ["lr0 = 6", "lr3 = 9", "cr2 = 9", "pc = 1024 (0x00000400)"]
    check("loop.s --until loop --save-state s")
    ran = check("other.s --load-state s", 2)
    assert ran.err == (
        "ipu-run: error: s: the state is from the middle of another program, loop.s, in front of "
        "bundle 1; only one that has halted can begin another program\n"
    )


def test_a_state_is_not_written_over_a_good_file_after_a_fault() -> None:
    Path("s").write_text("good")
    ran = check("loop.s --max-cycles 3 --save-state s", 1)
    assert ran.err.endswith("note: nothing was dumped\n")
    assert Path("s").read_text() == "good"


def rewritten(name: str, change: tuple[str, str]) -> None:
    """Write the state `s` again as `name`, with a text replaced in what it says of itself."""
    with zipfile.ZipFile("s") as old, zipfile.ZipFile(name, "w") as new:
        for entry in old.namelist():
            content = old.read(entry)
            if entry == "state.json":
                assert change[0].encode() in content
                content = content.replace(change[0].encode(), change[1].encode())
            if entry != change[1]:
                new.writestr(entry, content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"version": 1', '"version": 2'), "expected a state of version 1, found version 2"),
        (('"format": "ipu-asm', '"format": "x'), "expected a state that --save-state has written"),
        (('"isa": "ipu"', '"isa": "ipu2"'), "expected a state of `ipu`, found one of `ipu2`"),
        (('"lr3"', '"lr33"'), "expected the registers of ipu, found others"),
        (('"pc": 1024', '"pc": -1'), "expected a state, found a broken one: expected a number of"),
        (('"pc": 1024', '"pc": []'), "expected a state, found a broken one: expected a number of"),
        (('"settings": {}', '"settings": {"a": 1}'), "expected a state, found a broken one: the"),
        (('"settings": {}', '"settings": [[[]]]'), "expected a state, found a broken one: "),
        (("{", "["), "expected a state, found a broken one: "),
        (("{", "xmem.npy"), "expected a state, found a broken one: "),
        (("format", "format"), ""),
    ],
)
def test_a_state_that_does_not_fit_is_refused(change: tuple[str, str], message: str) -> None:
    check("loop.s --save-state s")
    rewritten("t", change)
    if not message:
        check("loop.s --load-state t")
        return
    ran = check("loop.s --load-state t", 2)
    assert ran.err.startswith(f"ipu-run: error: t: {message}")
    assert ran.err.count("\n") == 1


def test_a_state_without_an_array_is_refused() -> None:
    check("loop.s --save-state s")
    with zipfile.ZipFile("s") as old, zipfile.ZipFile("t", "w") as new:
        new.writestr("state.json", old.read("state.json"))
    ran = check("loop.s --load-state t", 2)
    assert ran.err == "ipu-run: error: t: there is no array `r0`, only none\n"


WIDE = "{}\nINC lr0 1;;\nBKPT;;\n"


@pytest.mark.parametrize(
    ("comment", "toml", "options", "expected"),
    [
        ("# CR wide = fp32", "", "", "wide fp32"),
        ("# CR wide = fp32", "", "--wide int32", "wide int32"),
        ("# CR wide = fp32", "", "--wide off", "wide off"),
        ("", 'wide = "int32"', "", "wide int32"),
        ("# CR wide = fp32", 'wide = "int32"', "", "wide fp32"),
        ("# CR wide = off", 'wide = "int32"', "", "wide off"),
        ("", "", "", "wide off"),
        ("# CR wide = fp32, quantize = on", "", "", "quantize on"),
        ("# CR quantize = off", "quantize = true", "", "quantize off"),
        ("", "quantize = true", "", "quantize on"),
        ("# CR quantize = off", "", "--quantize", "quantize on"),
    ],
)
def test_a_mode_is_what_options_comments_and_the_project_state_in_this_order(
    comment: str, toml: str, options: str, expected: str
) -> None:
    Path("ipu.toml").write_text(f'isa = "ipu2"\n[kernel."*.s"]\n{toml}\n')
    Path("wide.s").write_text(WIDE.format(comment))
    ran = check(f"wide.s --json {options}")
    name, value = expected.split()
    assert json.loads(ran.out)["settings"][name] == value
    assert ran.err == ""


ELU = """\
# isa: ipu2
LDR_MULT_REG r0 lr0 cr2;;
LDR_CYCLIC_MULT_REG lr0 cr3 lr0;;
MULT.RC.VV lr0 r0 0 lr0 cr4; ACC.ADD.FIRST; ACTIVATE.QUANTIZE elu cr4;;
BKPT;;
"""


@pytest.mark.parametrize(("option", "value"), [("", "-1.0"), ("--elu-alpha 0.25", "-0.25")])
def test_the_factor_of_elu_is_an_option(option: str, value: str) -> None:
    Path("elu.s").write_text(ELU)
    np.save("low.npy", np.full(128, -100, np.float32))
    data = "--load low.npy@0 --load ones@512:128:f32 --cr 3=1 --cr 4=128"
    arguments = f"elu.s --wide fp32 {data} {option} --print post_aaq_reg[0]"
    assert run(main, arguments.split()).out.splitlines()[2].split()[2] == value
