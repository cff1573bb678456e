"""The commands as processes: what they load, what a closed pipe or a full disk does to them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
HEAVY = (
    "numpy",
    "dask",
    "prompt_toolkit",
    "rich",
    "jinja2",
    "pygls",
    "lsprotocol",
    "lark",
    "dataclasses",
    "inspect",
    "pathlib",
    "tomllib",
    "json",
    "difflib",
    "shutil",
    "asyncio",
    "ipu_asm.analysis.apply_fixes",
    "ipu_asm.reports.pages",
)


def check_process(
    *arguments: str, status: int, data: bytes = b"", stdout: int = subprocess.PIPE
) -> tuple[bytes, bytes]:
    """How ``python -m ipu_asm`` ends; what it prints on both streams."""
    command = [sys.executable, "-m", "ipu_asm", *arguments]
    ended = subprocess.run(
        command, input=data, stdout=stdout, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
    )
    assert ended.returncode == status, ended.stderr
    return ended.stdout, ended.stderr


def loaded_by(code: str) -> list[str]:
    """The modules that are loaded after this code and not before it."""
    script = f"import sys\nbefore = set(sys.modules)\n{code}\nprint(*set(sys.modules) - before)"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=ENVIRONMENT, check=True
    )
    return ended.stdout.splitlines()[-1].split()


def check_loaded(code: str) -> None:
    """After this code, none of the heavy modules is loaded."""
    loaded = loaded_by(code)
    assert "ipu_asm.bundle.parser" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_linting_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text("acc.frist;;\nset lr0 40000; bkpt;;\n")
    arguments = f"['--no-cache', {str(path)!r}]"
    check_loaded(f"from ipu_asm.cli.lint.command import main; assert main({arguments}) == 1")


def test_a_file_that_has_not_changed_loads_no_grammar_no_set_and_no_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text("acc.first; bkpt;;\n")
    code = (
        f"import os; os.chdir({str(tmp_path)!r})\n"
        f"from ipu_asm.cli.lint.command import main; main(['a.s'])"
    )
    loaded_by(code)
    packages = {".".join(name.split(".")[:2]) for name in loaded_by(code)}
    assert "ipu_asm.cli" in packages
    assert not packages & {f"ipu_asm.{each}" for each in ("syntax", "bundle", "program", "flow")}


def test_assembling_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text("acc.first;;\n")
    command = f"['assemble', '--format', 'hex', {str(path)!r}]"
    check_loaded(f"from ipu_asm.cli.assembler.command import main; assert main({command}) == 0")


def test_the_command_of_the_document_works() -> None:
    arguments = ("as", "assemble", "--format", "hex", "-")
    out, err = check_process(*arguments, status=0, data=b"acc.first;;\n")
    assert out == b"0x000400001000060000002000000000000000000000140001\n"
    assert err.startswith(b"warning[W103]")
    assert check_process(*arguments, "-W", status=0, data=b"acc.first;;\n") == (out, b"")


def test_bytes_go_through_standard_streams_unchanged() -> None:
    data = b"\xef\xbb\xbfACC.FIRST; # \xf6 \xe2\x82\xac\r\n;; bkpt;;\r\n"
    out, err = check_process("lint", "--fix", "-", status=1, data=data)
    assert out == data.replace(b"ACC.FIRST", b"acc.first")
    assert err.startswith(b"Fixed 1 finding in 1 file")
    assert b"found the byte 0xF6" in err


def test_a_reader_who_goes_away_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.s"
    path.write_text("acc.frist;;\n" * 3000)
    for arguments in (["lint", str(path)], ["lint", "--format", "json", str(path)]):
        read, write = os.pipe()
        os.close(read)
        _, err = check_process(*arguments, status=1, stdout=write)
        os.close(write)
        assert err == b""


@pytest.mark.parametrize(
    "arguments", [("lint", "-"), ("lint", "--format", "json", "-"), ("as", "assemble", "-")]
)
def test_a_full_disk_is_told(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        _, err = check_process(*arguments, status=2, data=b"bkpt;;", stdout=full.fileno())
    program = "ipu-" + arguments[0]
    assert err.decode() == f"{program}: error: standard output: no space left on device\n"


@pytest.mark.parametrize(
    "command", [("ipu_asm", each) for each in ("lint", "as", "run", "fmt", "mca")] + [("ipu_lsp",)]
)
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_that_cannot_be_written_is_told(command: tuple[str, ...], option: str) -> None:
    shell = f"{sys.executable} -m {' '.join(command)} {option}"
    ended = subprocess.run(
        f"{shell} >/dev/full", shell=True, capture_output=True, env=ENVIRONMENT, check=False
    )
    program = f"ipu-{command[-1]}" if len(command) > 1 else "ipu-lsp"
    told = f"{program}: error: standard output: no space left on device\n"
    assert (ended.returncode, ended.stderr.decode()) == (2, told)


@pytest.mark.parametrize("arguments", ["lint -", "as assemble -", "run -", "mca -", "lint --nope"])
def test_two_full_outputs_are_no_finding(arguments: str) -> None:
    shell = f"{sys.executable} -m ipu_asm {arguments} >/dev/full 2>/dev/full"
    ended = subprocess.run(shell, shell=True, input=b"bkpt;;", env=ENVIRONMENT, check=False)
    assert ended.returncode == 2


def test_a_terminal_that_cannot_show_a_character_gets_a_question_mark() -> None:
    script = "acc; é;;\nbkpt;;".encode()
    command = [sys.executable, "-m", "ipu_asm", "lint", "-"]
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(command, input=script, capture_output=True, env=environment, check=False)
    assert ended.returncode == 1
    assert b"1 | acc; ?;;" in ended.stdout
    assert ended.stderr == b""


def test_a_closed_standard_input_is_told() -> None:
    command = [sys.executable, "-m", "ipu_asm", "lint", "-"]
    shell = " ".join([*command, "<&-"])
    ended = subprocess.run(
        shell, shell=True, capture_output=True, text=True, env=ENVIRONMENT, check=False
    )
    assert ended.returncode == 2
    assert ended.stderr == "ipu-lint: error: <stdin>: standard input is closed\n"


@pytest.mark.parametrize("closed", ["2>&-", ">&-"])
def test_a_closed_output_is_no_error_and_nothing_moves_to_the_other(closed: str) -> None:
    shell = f"{sys.executable} -m ipu_asm lint --select E,X9 - {closed}"
    ended = subprocess.run(
        shell,
        shell=True,
        input="bkpt;;",
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.count("\n") == (closed == ">&-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected a command, lint, as, run, mca or fmt, found none"),
        (("lnit",), "expected a command, lint, as, run, mca or fmt, found `lnit`"),
    ],
)
def test_the_package_itself_wants_a_command(arguments: tuple[str, ...], message: str) -> None:
    out, err = check_process(*arguments, status=2)
    assert out == b""
    assert err.decode().splitlines()[0] == f"python -m ipu_asm: error: {message}"


def test_our_own_failure_shows_where_it_came_from_on_request(tmp_path: Path) -> None:
    code = (
        "import sys, ipu_asm.analysis.analyzer\n"
        "ipu_asm.analysis.analyzer.Analyzer.analyze = lambda *_, **__: 1 / 0\n"
        "from ipu_asm.cli.lint.command import main\n"
        f"sys.exit(main([{str(tmp_path / 'a.s')!r}]))"
    )
    (tmp_path / "a.s").write_text("bkpt;;")
    environment = {**ENVIRONMENT, "IPU_TRACEBACK": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert ended.returncode == 3
    assert "ZeroDivisionError" in ended.stderr
    assert "Traceback" in ended.stderr
