"""`ipu-run` without an option takes the inputs that `ipu.toml` has for the kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.run.command import main
from tests.cli.commands import run

STORE = "ldr_mult_reg r0 lr0 cr0;;\nstr_acc_reg lr0 cr1;;\nbkpt;;\n"
RUN = """\
[kernel."k.s".run]
cr = {0 = 0x1000, 1 = 0x2000}
load = ["data/x.bin@0x1000"]
expect = ["zeros@0x2000:512"]
"""
NOTE = "ipu-run: note: registers and data are those of ipu.toml\n"


CODE = """\
other: done
sum: lda r1, [p0, #0]
nop
ret lr
nop
nop
nop
nop
add r0, r0, r1
"""
CODE_RUN = """\
[kernel."*.aie2".run]
entry = "sum"
args = ["*0x70000", 4]
registers = {r1 = 1}
load = ["data/x.bin@0x70000"]
expect = ["data/x.bin@0x70000"]
"""
FILES = {"code.aie2": CODE, "k.s": STORE, "ipu.toml": RUN, "data/x.bin": bytes(range(128))}


def check_printed(*options: str, err: str = "") -> list[str]:
    """The values of `cr0` and of a loaded element after a run that ends well."""
    ran = run(main, ["k.s", "--print", "cr0,r0[3]:u8", *options])
    assert (ran.status, ran.err) == (0, err)
    return [line.split()[2] for line in ran.out.splitlines() if line.startswith(("cr0", "r0"))]


def test_registers_and_data_are_those_of_the_configuration() -> None:
    assert check_printed(err=NOTE) == ["4096", "3"]


def test_what_the_user_gives_is_not_mixed_with_it() -> None:
    assert check_printed("--cr", "1=64") == ["0", "0"]


def test_a_difference_from_what_the_configuration_expects_is_a_failure() -> None:
    Path("ipu.toml").write_text(RUN.replace("zeros", "ones"))
    ran = run(main, ["k.s"])
    assert ran.status == 1
    assert "expected 1" in ran.err
    assert run(main, ["k.s", "--max-cycles", "9", "--until", "pc == 1"]).status == 0


@pytest.mark.parametrize("options", [(), ("--commands", "continue")])
def test_a_function_of_machine_code_gets_arguments_and_data_too(options: tuple[str, ...]) -> None:
    Path("ipu.toml").write_text(CODE_RUN)
    Path("continue").write_text("continue\nprint r1,x\nprint p0,x\n")
    ran = run(main, ["code.aie2", "--print", "p0", *options])
    assert (ran.status, ran.err) == (0, NOTE)
    assert f"{0x70000}" in ran.out or "p0,x = 0x00070000" in ran.out


@pytest.mark.parametrize(
    ("file", "key", "expected"),
    [
        ("k.s", "args = [4]", "IPU has the keys dtype, aaq-shift, cr, lr"),
        ("code.aie2", "lr = {1 = 2}", "XDNA1 has the keys registers, entry, args"),
    ],
)
def test_keys_of_other_machines_are_told(file: str, key: str, expected: str) -> None:
    Path("ipu.toml").write_text(f'[kernel."*".run]\n{key}\n')
    ran = run(main, [file])
    assert ran.status == 2
    assert f"{expected}, load, expect, define, found `{key.split()[0]}`" in ran.err


def test_data_that_are_not_there_are_told_with_their_path() -> None:
    Path("data/x.bin").unlink()
    ran = run(main, ["k.s"])
    assert ran.status == 2
    assert f"{Path.cwd() / 'data' / 'x.bin'}: no such file" in ran.err
