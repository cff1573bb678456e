"""`ipu-as assemble` of XDNA: bytes, text, listing and object."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.cli.assembler.command import main
from tests.assembler.test_sections import PROGRAM


def check_output(
    capfd: pytest.CaptureFixture[str], path: Path, options: list[str], status: int
) -> tuple[str, str]:
    assert main(["assemble", "--isa", "xdna1", *options, str(path)]) == status
    return capfd.readouterr()


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.aie"
    path.write_text("l: j #l ; nopa\n nop\n", encoding="utf-8")
    return path


def test_hexadecimal_text_has_a_line_a_bundle(
    kernel: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, _ = check_output(capfd, kernel, ["--format", "hex"], 0)
    assert out == "bb200000000000000000\n0100\n"


def test_bytes_are_those_of_the_text(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, _ = check_output(capfd, kernel, ["--format", "hex"], 0)
    image = kernel.with_suffix(".bin")
    check_output(capfd, kernel, ["-o", str(image)], 0)
    assert image.read_bytes() == bytes.fromhex(out)


def test_an_output_called_o_is_an_object(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    image = kernel.with_suffix(".o")
    check_output(capfd, kernel, ["-o", str(image)], 0)
    assert image.read_bytes()[:4] == b"\x7fELF"


def test_a_listing_has_addresses_bytes_and_source(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kernel.aie"
    path.write_text(PROGRAM, encoding="utf-8")
    out, _ = check_output(capfd, path, ["--format", "listing"], 0)
    assert f"\n  10: {'150100000000':28}  #   jl #ext" in out
    assert ", 48 bytes in .text, 5 bytes in .rodata.str, 14 bytes in .data\n" in out


def test_a_format_of_other_sets_is_refused(kernel: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, error = check_output(capfd, kernel, ["--format", "mem"], 2)
    assert "have no format mem: use bin, hex, listing or elf" in error
    assert main(["assemble", "--isa", "ipu", "--format", "elf", str(kernel)]) == 2
    assert "have no format elf: use bin, hex, listing or mem" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("code", "memory", "flags"),
    [
        ("exitz $m15", "gc200", 0x02),
        ("exitz $m15", "gc2", 0x01),
        ("ldb8 $a0, $m0, $m1, 1\nexitz $m15", "gc200", 0x21),
    ],
)
def test_the_flags_of_colossus_are_those_of_the_code_or_the_project(
    code: str, memory: str, flags: int, tmp_path: Path
) -> None:
    source, image, again = (tmp_path / name for name in ("a.S", "a.o", "b.o"))
    source.write_text(f"{code}\n", encoding="utf-8")
    (tmp_path / "ipu.toml").write_text(f'isa = "colossus"\n[memory]\ncolossus = "{memory}"\n')
    assert main(["assemble", "-o", str(image), str(source)]) == 0
    assert image.read_bytes()[36] == flags
    assert main(["disassemble", "-o", str(source), str(image)]) == 0
    assert main(["assemble", "-o", str(again), str(source)]) == 0
    assert again.read_bytes() == image.read_bytes()


def test_an_address_that_only_the_linker_knows_is_left_to_an_object(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.S"
    path.write_text(".supervisor\nrun $m0, $m1, f\nf: exitz $m15\n", encoding="utf-8")
    arguments = ["assemble", "--isa", "colossus", str(path)]
    assert main([*arguments, "--format", "hex"]) == 1
    assert "`bin` and `hex` begin at address 0, an object leaves it" in capfd.readouterr().err
    assert main([*arguments, "-o", str(path.with_suffix(".o"))]) == 0
