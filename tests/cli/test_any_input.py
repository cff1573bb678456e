"""Whatever bytes come in: the commands end as they should, without a word of Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.cli import fmt
from ipu_asm.cli.assembler import command as assembler
from ipu_asm.cli.lint import command as lint
from ipu_asm.cli.lint.formats import FORMATS
from ipu_asm.cli.mca import command as mca
from ipu_asm.cli.run import command as ipu_run
from tests.cli.commands import give_input, run

PIECES = st.sampled_from(
    (
        b"acc|acc.frist|set lr0 |5|b x|x:|;|;;|\n|\r\n|\r| |# ipu: ignore[E101]|# isa: |ipu|edgenpu"
        b"|\0|\x0c|\xff|\xef\xbb\xbf|\xed\xa0\x80|\xe2\x80\xa8|\xf0\x9f\x98\x80|,|break|40000"
    ).split(b"|")
)
BYTES = st.lists(PIECES | st.binary(max_size=4), max_size=30).map(b"".join)


def check_lint(data: bytes, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """`ipu-lint` reads the bytes to the end; what it prints."""
    give_input(monkeypatch, data)
    ran = run(lint.main, ["--isolated", *arguments, "-"])
    assert ran.status in (0, 1) or "unknown; " in ran.err or "UTF-16" in ran.err, ran.err
    return ran.out


def check_errors(data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many errors there are in an IPU program."""
    arguments = ["--isa", "ipu", "--select", "E", "--format", "json"]
    return len(json.loads(check_lint(data, arguments, monkeypatch)))


@given(data=BYTES, name=st.sampled_from(sorted(FORMATS)))
def test_anything_can_be_linted_in_any_format(
    data: bytes, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = check_lint(data, ["--format", name], monkeypatch)
    if name in ("json", "sarif", "gitlab", "rdjson") and out:
        json.loads(out)


@given(data=BYTES)
def test_mended_text_has_no_more_errors_and_nothing_left_to_mend(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = check_errors(data, monkeypatch)
    path = tmp_path / "a.s"
    path.write_bytes(data)
    arguments = ["--isolated", "--isa", "ipu", "--fix", "--unsafe-fixes", str(path)]
    first = run(lint.main, arguments)
    mended = path.read_bytes()
    assert first.status in (0, 1) or "UTF-16" in first.err, first.err
    assert check_errors(mended, monkeypatch) <= before
    run(lint.main, arguments)
    assert path.read_bytes() == mended


@given(data=BYTES)
def test_anything_can_be_given_to_the_assembler(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in ("assemble", "disassemble"):
        give_input(monkeypatch, data)
        ran = run(assembler.main, ["--isa", "ipu", command, "--format", "hex", "-"])
        assert ran.status in (0, 1) or "UTF-16" in ran.err, ran.err
        assert (ran.status == 0) == bool(ran.out)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (lint, []),
        (assembler, ["assemble"]),
        (assembler, ["disassemble"]),
        (assembler, ["expand"]),
        (ipu_run, []),
        (fmt, []),
        (mca, []),
    ],
)
def test_an_empty_name_is_that_of_no_file(command: Any, arguments: list[str]) -> None:
    ran = run(command.main, [*arguments, ""])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.endswith(": error: ``: no such file or directory\n")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "arguments", "option", "what"),
    [
        (lint, ["--config", "", "a.s"], "--config", "FILE"),
        (lint, ["-o", "", "a.s"], "-o/--output-file", "FILE"),
        (fmt, ["--config=", "a.s"], "--config", "FILE"),
        (ipu_run, ["--trace", "", "a.s"], "--trace", "FILE"),
        (ipu_run, ["--save-state", "", "a.s"], "--save-state", "FILE"),
        (ipu_run, ["--load-state", "", "a.s"], "--load-state", "FILE"),
        (ipu_run, ["--commands", "", "a.s"], "--commands", "FILE"),
        (assembler, ["assemble", "-o", "", "a.s"], "-o/--output", "OUT"),
        (assembler, ["assemble", "--input", ""], "--input", "FILE"),
        (assembler, ["docs", "-o", ""], "-o/--output", "DIR"),
        (mca, ["--pack", "-o", "", "a.s"], "-o/--output", "OUT"),
    ],
)
def test_a_file_of_an_option_has_a_name(
    command: Any, arguments: list[str], option: str, what: str
) -> None:
    ran = run(command.main, arguments)
    assert (ran.status, ran.out) == (2, "")
    assert f": error: argument {option}: expected {what}, found an empty name (see" in ran.err


@pytest.mark.parametrize(
    ("command", "option", "wanted"),
    [
        (ipu_run, "--cr", "N=VALUE"),
        (ipu_run, "--dump", "FILE@ADDR:LENGTH[:DTYPE]"),
        (ipu_run, "--define", "NAME=VALUE"),
        (mca, "--lr", "N=VALUE"),
        (mca, "--context", "NAME=VALUE"),
        (lint, "--define", "NAME=VALUE"),
        (lint, "--format", "one of"),
    ],
)
def test_two_hyphens_are_a_value_like_others(command: Any, option: str, wanted: str) -> None:
    ran = run(command.main, ["a.s", f"{option}=--"])
    assert (ran.status, ran.out) == (2, "")
    assert f"argument {option}: expected {wanted}" in ran.err
    assert "found `--`" in ran.err


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (assembler, "assemble src/a.s -o {}"),
        (assembler, "disassemble src/a.hex -o {}"),
        (assembler, "expand src/a.s -o {}"),
        (mca, "src/a.s -o {}"),
        (mca, "src/a.s --pack -o {}"),
        (ipu_run, "src/a.s --trace {}"),
        (ipu_run, "src/a.s --dump {}@0:128"),
        (ipu_run, "src/a.s --save-state {}"),
        (lint, "src/a.s -o {}"),
    ],
)
@pytest.mark.parametrize("name", ["src/ipu.toml", "pyproject.toml"])
def test_an_output_replaces_no_configuration_of_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Any, arguments: str, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/a.s").write_text("bkpt;;\n")
    Path("src/a.hex").write_text("0x0\n")
    configuration = Path(name)
    table = "[tool.ipu]\n" if configuration.name == "pyproject.toml" else ""
    configuration.write_text(f'{table}isa = "ipu"\n')
    before = configuration.read_text()
    ran = run(command.main, arguments.format(name).split())
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "would replace the " in ran.err
    assert configuration.read_text() == before
