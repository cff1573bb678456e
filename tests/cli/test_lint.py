"""`ipu-lint`: what it looks at, what it prints, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ipu_asm import __version__
from ipu_asm.cli.assembler.command import main as assemble
from ipu_asm.cli.lint.command import main
from ipu_asm.cli.lint.formats import FORMATS
from tests.cli.commands import Ran, give_input, run

GOOD = "acc.first;;\nbkpt;;\n"
BAD = "acc.frist;;\nbkpt;;\n"
BAD_LINE = "1:1: error[E101] unknown mnemonic `acc.frist`; did you mean `acc.first`?"
WARNED = "bkpt;;\nacc;;\n"
HINTED = "break; acc;;\nbkpt;;\n"


def write(**files: str) -> None:
    """Files in the working directory; `a_s` is `a.s`, `sub__a_s` is `sub/a.s`."""
    for name, text in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check_lint(
    arguments: str,
    status: int,
    out: str | list[str] | None = None,
    err: str | list[str] | None = "",
) -> Ran:
    """How `ipu-lint` ends, and what it prints: exactly, or these lines; None for anything."""
    ran = run(main, arguments.split())
    for expected, said in ((out, ran.out), (err, ran.err)):
        if isinstance(expected, list):
            assert said == "".join(f"{line}\n" for line in expected)
        elif expected is not None:
            assert said == expected
    assert ran.status == status
    return ran


@pytest.mark.parametrize(
    ("level", "statuses"), [("error", (1, 0, 0)), ("warning", (1, 1, 0)), ("hint", (1, 1, 1))]
)
def test_the_fail_level_decides_what_counts(level: str, statuses: tuple[int, ...]) -> None:
    write(a_s=BAD, b_s=WARNED, c_s=HINTED)
    for name, status in zip("abc", statuses):
        check_lint(f"--fail-level {level} {name}.s", status)


def test_folders_are_searched_for_sources() -> None:
    names = ["a.asm", "b.ipu", "c.s", "sub/d.s", "sub/deeper/e.s"]
    for name in [*names, "f.txt", ".hidden/g.s", "sub/.h.s", "node_modules/i.s", ".venv/j.s"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(BAD)
    lines = [f"{name}:{BAD_LINE}" for name in names]
    check_lint("--format concise", 1, lines)
    check_lint("--format concise .", 1, lines)
    check_lint("--format concise sub", 1, lines[3:])
    check_lint("--format concise sub/../sub ./c.s", 1, [f"./{lines[2]}", *lines[3:]])


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_can_be_had(name: str) -> None:
    write(a_s=BAD)
    ran = check_lint(f"--format {name} a.s", 1)
    assert "acc.frist" in ran.out
    assert "a.s" in ran.out


def test_sarif_tells_about_the_rules() -> None:
    write(a_s=BAD)
    ran = check_lint("--format sarif a.s", 1)
    driver = json.loads(ran.out)["runs"][0]["tool"]["driver"]
    assert driver["version"] == __version__
    assert "E101" in {rule["id"] for rule in driver["rules"]}


def test_an_output_file_takes_the_findings() -> None:
    write(a_s=BAD)
    check_lint("--format json -o out.json a.s", 1, "")
    assert json.loads(Path("out.json").read_text())[0]["code"] == "E101"


def test_statistics_count_instead() -> None:
    write(a_s=BAD, b_s=BAD, c_s=HINTED)
    expected = ["2  E101  [ ] unknown-mnemonic", "1  H101  [-] explicit-break"]
    check_lint("--statistics", 1, expected)
    ran = check_lint("--statistics --format json", 1)
    assert [row["count"] for row in json.loads(ran.out)] == [2, 1]


def test_colours_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    write(a_s=BAD)
    for options, environment, colored in (
        ("", {}, False),
        ("--color always", {"NO_COLOR": "1"}, True),
        ("--color never", {"FORCE_COLOR": "1"}, False),
        ("", {"FORCE_COLOR": "1"}, True),
        ("", {"FORCE_COLOR": "0"}, False),
        ("", {"CLICOLOR_FORCE": "1"}, True),
        ("", {"CLICOLOR_FORCE": "0"}, False),
        ("", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("--format json --color always", {}, False),
        ("--color always -o out.txt", {}, False),
    ):
        with monkeypatch.context() as context:
            for name, value in environment.items():
                context.setenv(name, value)
            ran = check_lint(f"{options} a.s", 1)
        assert ("\x1b[" in ran.out) == colored, (options, environment)
    assert "\x1b[" not in Path("out.txt").read_text()


@pytest.mark.parametrize("what", ["E101", "e101", "unknown-mnemonic"])
def test_a_rule_is_explained(what: str) -> None:
    ran = check_lint(f"--explain {what}", 0)
    assert ran.out.startswith("# unknown-mnemonic\n")
    assert "## Why" in ran.out


def test_an_instruction_is_explained() -> None:
    ran = check_lint("--explain mult.ve", 0)
    assert "mult.ve ra cyclic_offset" in ran.out


def test_the_help_has_examples_and_every_exit_status() -> None:
    ran = check_lint("--help", 0)
    for option in ("--select", "--unsafe-fixes", "--watch", "--stdin-filename", "--isolated"):
        assert option in ran.out
    assert "examples:" in ran.out
    assert "exit status:" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n"])
def test_a_named_file_without_a_bundle_has_the_finding_of_the_assembler(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    write(a_s=text)
    message = "error[E001] a program has at least one bundle, found none"
    check_lint("--format concise a.s", 1, [f"a.s:1:1: {message}"])
    assert run(assemble, ["assemble", "--format", "hex", "a.s"]).status == 1
    give_input(monkeypatch, text.encode())
    check_lint("--format concise -", 1, [f"<stdin>:1:1: {message}"])


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_file_in_utf_16_is_told(mark: bytes) -> None:
    Path("a.s").write_bytes(mark + b"a\0")
    check_lint("a.s", 2, "", ["ipu-lint: error: a.s: expected UTF-8, found UTF-16"])


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"acc; # gr\xf6\xdfer\n;;\nbkpt;; # \xff\n", "1:10", "0xF6 (`ö` in Latin-1)"),
        (b"acc \xf6;;\nb\xe4r\xff: b b\xe4r\xff;; bkpt;;\n", "1:5", "0xF6 (`ö` in Latin-1)"),
        ("# ö\n# ".encode() + b"\x80\nbkpt;;\n", "2:3", "0x80"),
    ],
)
def test_of_bytes_that_are_no_utf_8_the_first_is_told(data: bytes, place: str, byte: str) -> None:
    Path("a.s").write_bytes(data)
    message = f"expected UTF-8, found the byte {byte}; save the file as UTF-8"
    check_lint("--format concise a.s", 1, f"a.s:{place}: error[E001] {message}\n")


def test_what_else_is_wrong_with_a_latin_1_file_is_told() -> None:
    Path("a.s").write_bytes(b"# \xf6\nfoo;; bkpt;;\n")
    ran = check_lint("--format concise a.s", 1)
    assert [line.split()[1] for line in ran.out.splitlines()] == ["error[E001]", "error[E101]"]


def test_a_failure_of_our_own_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("two\nlines")

    write(a_s=GOOD)
    monkeypatch.setattr("ipu_asm.analysis.analyzer.Analyzer.analyze", fail)
    check_lint(
        "a.s",
        3,
        "",
        [
            "ipu-lint: error: internal error: TypeError: two lines; this is a bug in ipu-lint, "
            "not in the program it read: please report it with what IPU_TRACEBACK=1 shows"
        ],
    )


def test_an_interrupt_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    write(a_s=GOOD)
    monkeypatch.setattr("ipu_asm.analysis.analyzer.Analyzer.analyze", interrupt)
    check_lint("a.s", 130, "", "")
