"""`ipu-run` without an option takes the inputs that `ipu.toml` has for the kernel."""

from __future__ import annotations

from pathlib import Path

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


FILES = {"k.s": STORE, "ipu.toml": RUN, "data/x.bin": bytes(range(128))}


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


def test_data_that_are_not_there_are_told_with_their_path() -> None:
    Path("data/x.bin").unlink()
    ran = run(main, ["k.s"])
    assert ran.status == 2
    assert f"{Path.cwd() / 'data' / 'x.bin'}: no such file" in ran.err
