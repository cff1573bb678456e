"""`ipu-as`: images out of programs, programs out of images."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ipu_asm import __version__, assemble
from ipu_asm.cli.assembler.command import main
from ipu_asm.cli.lint.command import main as lint
from tests.cli.commands import Ran, run

SOURCE = "acc.first;;\nbkpt;;\n"
WORDS = assemble(SOURCE)
HEX = "".join(f"0x{word:048x}\n" for word in WORDS)
MEM = "".join(f"0x{word:045x}\n" for word in WORDS)
BIN = b"".join(word.to_bytes(24, "little") for word in WORDS)
BAD = "acc.frist;;\nset lr0 40000; b nowhere;;\n"


FILES = {"a.s": SOURCE, "bad.s": BAD}


def check_as(arguments: str, status: int = 0, out: str | None = "", err: str | None = "") -> Ran:
    """How `ipu-as` ends, and what it prints; None for anything."""
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    if out is not None:
        assert ran.out == out
    if err is not None:
        assert ran.err == err
    return ran


@pytest.mark.parametrize(
    ("name", "image"), [("hex", HEX), ("mem", MEM), ("bin", BIN.decode("latin1"))]
)
def test_every_format_goes_to_standard_output_or_a_file(name: str, image: str) -> None:
    for arguments in (
        f"assemble --format {name} a.s -o out",
        f"assemble a.s --format {name} --output out",
        f"assemble --input a.s --output out --format {name}",
        f"--isa ipu assemble --format={name} -o out a.s",
    ):
        Path("out").unlink(missing_ok=True)
        check_as(arguments)
        assert Path("out").read_bytes() == image.encode("latin1")
    if name != "bin":
        check_as(f"assemble --format {name} a.s", 0, image)
        check_as(f"assemble --format {name} a.s -o -", 0, image)


def test_without_a_format_it_is_bin(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["assemble", "a.s"]) == 0
    assert capsysbinary.readouterr() == (BIN, b"")


def test_the_name_of_the_output_says_the_format() -> None:
    listing = check_as("assemble --format listing a.s", 0, None).out
    expected = {"o.hex": HEX, "o.mem": MEM, "o.lst": listing, "o.txt": BIN.decode("latin1")}
    for name, image in expected.items():
        check_as(f"assemble a.s -o {name}")
        assert Path(name).read_bytes() == image.encode("latin1")
    check_as("assemble a.s -o o.html")
    assert Path("o.html").read_text().startswith("<!doctype html>")
    check_as("assemble --format bin a.s -o o.hex")
    assert Path("o.hex").read_bytes() == BIN


def test_a_listing_is_for_people_and_an_image_too() -> None:
    first, second = (f"0x{word:048x}" for word in WORDS)
    listing = (
        "# isa: ipu\n# a.s: 2 bundles of 24 bytes\n\n"
        f"   0: {first}  # acc.first;;\n   1: {second}  # bkpt;;\n"
    )
    check_as("assemble --format listing a.s", 0, listing)
    check_as("assemble --format listing a.s -o a.lst")
    check_as("disassemble a.lst", 0, SOURCE)


@pytest.mark.parametrize("name", ["hex", "mem", "bin"])
def test_what_was_assembled_is_taken_apart_again(name: str) -> None:
    check_as(f"assemble --format {name} a.s -o a.image")
    check_as("disassemble a.image", 0, SOURCE)
    check_as(f"disassemble --format {name} a.image", 0, SOURCE)
    check_as("disassemble a.image -o b.s")
    assert Path("b.s").read_text() == SOURCE


def test_all_errors_are_printed_and_nothing_is_written() -> None:
    Path("out").write_text("as before")
    ran = check_as("assemble bad.s -o out", 1, "", None)
    assert Path("out").read_text() == "as before"
    assert ran.err.startswith("error[E101]: unknown mnemonic `acc.frist`")
    assert " --> bad.s:1:1\n" in ran.err
    assert "\n\nerror[E301]: no label `nowhere` in this file\n --> bad.s:2:18\n" in ran.err
    assert ran.err.endswith("\n\n2 errors, 1 warning, nothing written\n")


def test_warnings_are_printed_as_ipu_lint_prints_them_and_change_nothing_else() -> None:
    Path("a.s").write_text("again: set lr0 40000; bkpt;;\nacc;;\n")
    linted = run(lint, ["a.s", "--select", "W"]).out.rpartition("\n\n")[0]
    ran = check_as("assemble a.s -o out", 0, "", None)
    assert linted.startswith("warning[W203]")
    assert ran.err == f"{linted}\n\n2 warnings\n"
    words = Path("out").read_bytes()
    for option in ("-W", "--no-warnings"):
        assert check_as(f"{option} assemble a.s -o out", 0, "").err == ""
        check_as(f"assemble {option} a.s -o quiet")
        assert Path("quiet").read_bytes() == words


def test_warnings_that_the_project_or_a_comment_leaves_out_are_not_printed() -> None:
    Path("ipu.toml").write_text('[lint]\nignore = ["runs-off-end"]\n')
    Path("a.s").write_text("set lr0 40000;; # ipu: ignore[W203] as a mask\n")
    check_as("assemble a.s -o out")
    Path("ipu.toml").write_text('[lint]\nignore = "runs-off-end"\n')
    ran = check_as("assemble --isa ipu a.s -o out", 0, "", None)
    assert ran.err.startswith("warning[W103]")


def test_suppressed_errors_are_errors_still() -> None:
    Path("a.s").write_text("# ipu: ignore-file[unknown-mnemonic]\nacc.frist;;\n")
    ran = check_as("assemble a.s", 1, "", None)
    assert ran.err.endswith("1 error, nothing written\n")


def test_an_output_file_is_replaced_wholly() -> None:
    Path("out").write_text("long " * 1000)
    Path("out").chmod(0o640)
    check_as("assemble --format hex a.s -o out")
    assert Path("out").read_text() == HEX
    assert Path("out").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir()) == ["a.s", "bad.s", "out"]


def test_an_image_never_replaces_its_program() -> None:
    Path("link").symlink_to("a.s")
    Path("hard").hardlink_to("a.s")
    for name in ("./a.s", "link", "hard"):
        for command in ("assemble", "disassemble"):
            message = f"ipu-as: error: --output {name}: would replace the input `a.s`\n"
            check_as(f"{command} a.s -o {name}", 2, "", message)
    assert Path("a.s").read_text() == SOURCE


def test_a_file_that_is_not_utf_8_is_refused() -> None:
    Path("latin.s").write_bytes(b"bkpt;; # gr\xf6\xdfer\n")
    ran = run(main, ["assemble", "latin.s", "-o", "out.bin"])
    assert (ran.status, ran.out, Path("out.bin").exists()) == (1, "", False)
    assert "expected UTF-8, found the byte 0xF6" in ran.err
    assert ran.err.endswith("1 error, nothing written\n")


def test_bytes_are_not_written_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ipu_asm.cli.assembler.command.is_terminal", lambda stream: True)
    message = "ipu-as: error: standard output is a terminal: name a file with -o, or --format hex\n"
    check_as("assemble a.s", 2, "", message)
    check_as("assemble --format hex a.s", 0, HEX)


@pytest.mark.parametrize(
    ("image", "messages"),
    [
        (b"", ["image: an image has at least one word, found none"]),
        (
            b"0x1\n0x1 0x2\nacc;;\n",
            [
                f"image:{line}: expected the hexadecimal digits of one word, found `{found}`"
                for line, found in ((2, "0x1 0x2"), (3, "acc;;"))
            ],
        ),
        (
            b"# a kernel\nacc; add lr0 lr1 lr2;;\nacc;;\n",
            [
                "image:2: expected an image (`ipu-as assemble` makes one of a source), "
                "found the instruction `acc; add lr0 lr1 lr2;;`"
            ],
        ),
        (b"\0" * 25, ["image: a word takes 24 bytes, found 25 bytes in all"]),
        (b"\xff" * 24, ["image: a word has 179 bits, found more at byte 0"]),
        (b"1\n" * 1025, ["image: instruction memory holds 1024 words, found 1025"]),
    ],
)
def test_what_is_no_image_is_told(image: bytes, messages: list[str]) -> None:
    Path("image").write_bytes(image)
    err = "".join(f"ipu-as: error: {message}\n" for message in messages)
    check_as("disassemble image -o out", 1, "", err)
    assert not Path("out").exists()


def test_the_instruction_set_is_chosen_as_for_the_linter() -> None:
    Path("a.aie").write_text(SOURCE)
    ran = check_as("assemble a.aie", 1, "", None)
    assert "unknown mnemonic `acc.first`" in ran.err
    check_as("assemble --isa ipu --format hex a.aie", 0, HEX)
    check_as("--isa ipu assemble --format hex a.aie", 0, HEX)
    Path("a.hex").write_text("# isa: xdna2\n" + HEX)
    assert check_as("disassemble a.hex", 0, None).out.startswith("// isa: xdna2\n")
    Path("ipu.toml").write_text("isa = 3\n")
    ran = check_as("assemble a.s", 2, "", None)
    assert ran.err.startswith(f"ipu-as: error: {Path.cwd() / 'ipu.toml'}:1: `isa`: expected one of")


def test_help_and_version_are_there() -> None:
    check_as("--version", 0, f"ipu-as {__version__}\n")
    for command in ("", "assemble ", "disassemble "):
        ran = check_as(f"{command}--help", 0, None)
        assert "--isa NAME" in ran.out


def test_a_failure_of_our_own_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("oh")

    monkeypatch.setattr("ipu_asm.cli.assembler.command.object_of", fail)
    ran = check_as("assemble a.s", 3, "", None)
    assert ran.err.startswith("ipu-as: error: internal error: ValueError: oh; this is a bug in")
