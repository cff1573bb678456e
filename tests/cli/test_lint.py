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
WARNED_LINE = (
    "2:1: warning[W102] control must have a way to every bundle, found none to this bundle"
)
HINTED = "break; acc;;\nbkpt;;\n"
HINTED_LINE = "1:1: hint[H101] a finished program has no breaks in it, found `break`"


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "IPU_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)


def write(**files: str) -> None:
    """Files in the working directory; `a_s` is `a.s`, `sub__a_s` is `sub/a.s`."""
    for name, text in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check_lint(
    capsys: pytest.CaptureFixture[str],
    arguments: str,
    status: int,
    out: str | list[str] | None = None,
    err: str | list[str] | None = "",
) -> Ran:
    """How `ipu-lint` ends, and what it prints: exactly, or these lines; None for anything."""
    ran = run(main, arguments.split(), capsys)
    for expected, said in ((out, ran.out), (err, ran.err)):
        if isinstance(expected, list):
            assert said == "".join(f"{line}\n" for line in expected)
        elif expected is not None:
            assert said == expected
    assert ran.status == status
    return ran


def test_a_good_file_has_no_findings(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=GOOD)
    check_lint(capsys, "a.s", 0, "no findings in 1 file\n")


def test_errors_and_warnings_make_the_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD, b_s=WARNED)
    check_lint(capsys, "--format concise a.s", 1, [f"a.s:{BAD_LINE}"])
    check_lint(capsys, "--format concise b.s", 1, [f"b.s:{WARNED_LINE}"])


def test_hints_are_shown_and_do_not_fail(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=HINTED)
    check_lint(capsys, "--format concise a.s", 0, [f"a.s:{HINTED_LINE}"])


@pytest.mark.parametrize(
    ("level", "statuses"), [("error", (1, 0, 0)), ("warning", (1, 1, 0)), ("hint", (1, 1, 1))]
)
def test_the_fail_level_decides_what_counts(
    capsys: pytest.CaptureFixture[str], level: str, statuses: tuple[int, ...]
) -> None:
    write(a_s=BAD, b_s=WARNED, c_s=HINTED)
    for name, status in zip("abc", statuses):
        check_lint(capsys, f"--fail-level {level} {name}.s", status)


def test_exit_zero_forgives_findings_but_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD)
    check_lint(capsys, "--exit-zero --format concise a.s", 0, [f"a.s:{BAD_LINE}"])
    check_lint(capsys, "--exit-zero none.s", 2, "", None)


def test_folders_are_searched_for_sources(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["a.asm", "b.ipu", "c.s", "sub/d.s", "sub/deeper/e.s"]
    for name in [*names, "f.txt", ".hidden/g.s", "sub/.h.s", "node_modules/i.s", ".venv/j.s"]:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(BAD)
    lines = [f"{name}:{BAD_LINE}" for name in names]
    check_lint(capsys, "--format concise", 1, lines)
    check_lint(capsys, "--format concise .", 1, lines)
    check_lint(capsys, "--format concise sub", 1, lines[3:])
    check_lint(capsys, "--format concise sub/../sub ./c.s", 1, [f"./{lines[2]}", *lines[3:]])


def test_a_named_file_is_read_whatever_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_txt=BAD)
    check_lint(capsys, "--format concise a.txt", 1, [f"a.txt:{BAD_LINE}"])


def test_a_file_is_reported_once_and_files_come_sorted(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD, b_s=BAD)
    lines = [f"a.s:{BAD_LINE}", f"b.s:{BAD_LINE}"]
    check_lint(capsys, "--format concise b.s a.s b.s .", 1, lines)


def test_findings_come_by_position(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s="b nowhere;; acc;;\nx: acc.frist; y;;\nbkpt;;\n")
    ran = check_lint(capsys, "--format json a.s", 1)
    places = [tuple(finding["location"].values()) for finding in json.loads(ran.out)]
    assert places == sorted(places) == [(1, 3), (2, 1), (2, 4), (2, 15)]


def test_standard_input_has_a_name(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give_input(monkeypatch, BAD)
    check_lint(capsys, "--format concise -", 1, [f"<stdin>:{BAD_LINE}"])
    give_input(monkeypatch, BAD)
    check_lint(capsys, "--format concise - --stdin-filename k.s", 1, [f"k.s:{BAD_LINE}"])
    give_input(monkeypatch, BAD)
    check_lint(capsys, "--format concise --stdin-filename k.s", 1, [f"k.s:{BAD_LINE}"])


def test_options_may_stand_between_files(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD, b_s=BAD)
    lines = [f"a.s:{BAD_LINE}", f"b.s:{BAD_LINE}"]
    check_lint(capsys, "a.s --format concise b.s --exit-zero", 0, lines)


def test_names_that_look_like_options_stand_behind_two_dashes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("-x.s").write_text(BAD)
    check_lint(capsys, "--format concise -- -x.s", 1, [f"-x.s:{BAD_LINE}"])


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_can_be_had(capsys: pytest.CaptureFixture[str], name: str) -> None:
    write(a_s=BAD)
    ran = check_lint(capsys, f"--format {name} a.s", 1)
    assert "acc.frist" in ran.out
    assert "a.s" in ran.out


def test_sarif_tells_about_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD)
    ran = check_lint(capsys, "--format sarif a.s", 1)
    driver = json.loads(ran.out)["runs"][0]["tool"]["driver"]
    assert driver["version"] == __version__
    assert "E101" in {rule["id"] for rule in driver["rules"]}


def test_an_output_file_takes_the_findings(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD)
    check_lint(capsys, "--format json -o out.json a.s", 1, "")
    assert json.loads(Path("out.json").read_text())[0]["code"] == "E101"


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ("", "E101 W203 H101"),
        ("--select E", "E101"),
        ("--select immediate-wraps,H101", "W203 H101"),
        ("--select E --select W", "E101 W203"),
        ("--ignore E", "W203 H101"),
        ("--select E --extend-select H1", "E101 H101"),
        ("--ignore W,H", "E101"),
        ("--select W --ignore W203", ""),
    ],
)
def test_rules_are_chosen_by_code_name_or_prefix(
    capsys: pytest.CaptureFixture[str], options: str, codes: str
) -> None:
    write(a_s="acc.frist;;\nset lr0 40000;;\nacc; break;;\nbkpt;;\n")
    ran = check_lint(capsys, f"--format json {options} a.s", 1 if codes not in ("", "H101") else 0)
    assert " ".join(finding["code"] for finding in json.loads(ran.out)) == codes


def test_findings_beyond_the_limit_of_a_file_are_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(a_s=BAD * 3, b_s=BAD)
    ran = check_lint(
        capsys,
        "--format concise --max-per-file 1",
        status=1,
        err="ipu-lint: note: a.s: 2 more findings (--max-per-file 1)\n",
    )
    assert [line.split(":")[0] for line in ran.out.splitlines()] == ["a.s", "b.s"]


def test_statistics_count_instead(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD, b_s=BAD, c_s=HINTED)
    expected = ["2  E101  [ ] unknown-mnemonic", "1  H101  [-] explicit-break"]
    check_lint(capsys, "--statistics", 1, expected)
    ran = check_lint(capsys, "--statistics --format json", 1)
    assert [row["count"] for row in json.loads(ran.out)] == [2, 1]


def test_colours_are_for_terminals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
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
            ran = check_lint(capsys, f"{options} a.s", 1)
        assert ("\x1b[" in ran.out) == colored, (options, environment)
    assert "\x1b[" not in Path("out.txt").read_text()


@pytest.mark.parametrize("what", ["E101", "e101", "unknown-mnemonic"])
def test_a_rule_is_explained(capsys: pytest.CaptureFixture[str], what: str) -> None:
    ran = check_lint(capsys, f"--explain {what}", 0)
    assert ran.out.startswith("# unknown-mnemonic\n")
    assert "## Why" in ran.out


def test_an_instruction_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    ran = check_lint(capsys, "--explain mult.ve", 0)
    assert "mult.ve ra cyclic_offset" in ran.out


def test_what_has_no_explanation_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    start = "ipu-lint: error: no rule and no instruction of ipu is called"
    check_lint(capsys, "--explain E9999", 2, "", [f"{start} `E9999`"])
    hint = "did you mean `acc.stride`?"
    check_lint(capsys, "--explain acc.strid", 2, "", [f"{start} `acc.strid`; {hint}"])


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    check_lint(capsys, "--version", 0, f"ipu-lint {__version__}\n")


def test_the_help_has_examples_and_every_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    ran = check_lint(capsys, "--help", 0)
    for option in ("--select", "--unsafe-fixes", "--watch", "--stdin-filename", "--isolated"):
        assert option in ran.out
    assert "examples:" in ran.out
    assert "exit status:" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


HELP = "(see `ipu-lint --help`)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--fromat json", f"unknown option `--fromat`; did you mean `--format`? {HELP}"),
        ("--zzzzz=3", f"unknown option `--zzzzz` {HELP}"),
        (
            "--format jsn",
            "argument --format: expected one of text, concise, json, json-lines, sarif, github, "
            f"gitlab, junit, rdjson, found `jsn`; did you mean `json`? {HELP}",
        ),
        (
            "--fail-level 3",
            f"argument --fail-level: expected one of error, warning, hint, found `3` {HELP}",
        ),
        ("--select", f"argument --select: expected RULES behind it, found no value {HELP}"),
        (
            "--isa ipx",
            "argument --isa: instruction set `ipx` is unknown; did you mean `ipu`? " + HELP,
        ),
        (
            "--stdin-filename a.s b.s",
            "--stdin-filename applies to standard input, but no PATH is `-` ",
        ),
        ("--watch -", "--watch needs files or folders, found `-` (standard input) "),
        ("--watch -o out.txt", "--watch and --output-file exclude each other "),
        ("--config a.toml --isolated", "--config and --isolated exclude each other "),
        (
            "--statistics --format sarif",
            "--statistics supports the formats text and json, found `sarif`",
        ),
    ],
)
def test_wrong_usage_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: str, message: str
) -> None:
    ran = check_lint(capsys, arguments, 2, "", None)
    assert ran.err.startswith(f"ipu-lint: error: {message}")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "\n", "# nothing yet\n"])
def test_a_named_file_without_a_bundle_has_the_finding_of_the_assembler(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    write(a_s=text)
    message = "error[E001] a program has at least one bundle, found none"
    check_lint(capsys, "--format concise a.s", 1, [f"a.s:1:1: {message}"])
    assert run(assemble, ["assemble", "--format", "hex", "a.s"], capsys).status == 1
    give_input(monkeypatch, text.encode())
    check_lint(capsys, "--format concise -", 1, [f"<stdin>:1:1: {message}"])


def test_a_file_that_is_still_to_be_written_has_no_findings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(a_s="", c_S="# 1\n")
    check_lint(capsys, ".", 0)
    check_lint(capsys, "--isa colossus c.S", 0)
    give_input(monkeypatch, b"")
    check_lint(capsys, "--stdin-filename a.s -", 0)


@pytest.mark.parametrize("names", ["", " , "])
def test_an_empty_selection_is_wrong_usage(capsys: pytest.CaptureFixture[str], names: str) -> None:
    write(a_s=BAD)
    message = "--select needs at least one code, name or prefix, found none"
    assert run(main, ["--select", names, "a.s"], capsys).status == 2
    ran = run(main, [f"--select={names}", "a.s"], capsys)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"ipu-lint: error: {message}")


def test_unknown_rules_are_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=BAD, b_s=BAD)
    start = "ipu-lint: error: no rule has the code, name or prefix"
    lines = [f"{start} `Z1`", f"{start} `unused-lable`; did you mean `unused-label`?"]
    check_lint(capsys, "--select Z1,unused-lable", 2, "", lines)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("E1o1", "`E101`"),
        ("Unused-Lable", "`unused-label`"),
        ("duplicate-register", "`duplicate-slot`, `duplicate-label` or `dead-register-write`"),
        ("access-out-of-memory", "`access-outside-memory`"),
    ],
)
def test_rules_with_a_similar_name_are_suggested(
    capsys: pytest.CaptureFixture[str], name: str, meant: str
) -> None:
    said = "ipu-lint: error: no rule has the code, name or prefix"
    check_lint(capsys, f"--select {name}", 2, "", [f"{said} `{name}`; did you mean {meant}?"])
    said = "ipu-lint: error: no rule and no instruction of ipu is called"
    meant = meant.replace(",", " or")
    check_lint(capsys, f"--explain {name}", 2, "", [f"{said} `{name}`; did you mean {meant}?"])


@pytest.mark.parametrize("name", ["W999", "of-the", "wrong", "unknown-register"])
def test_no_rule_is_suggested_where_none_or_many_are_similar(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    said = "ipu-lint: error: no rule has the code, name or prefix"
    check_lint(capsys, f"--select {name}", 2, "", [f"{said} `{name}`"])


def test_a_missing_file_is_told_and_the_others_are_linted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(a_s=BAD)
    check_lint(
        capsys,
        "--format concise none.s a.s",
        2,
        [f"a.s:{BAD_LINE}"],
        ["ipu-lint: error: none.s: no such file or directory"],
    )


def test_a_file_that_cannot_be_read_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s=GOOD)
    check_lint(capsys, "a.s/b.s", 2, "", ["ipu-lint: error: a.s/b.s: not a directory"])


def test_a_folder_without_sources_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    message = "ipu-lint: error: empty: no source files in this folder"
    check_lint(capsys, "empty", 2, "", [message])
    check_lint(capsys, "--format json empty", 2, "[]\n", [message])


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_file_in_utf_16_is_told(capsys: pytest.CaptureFixture[str], mark: bytes) -> None:
    Path("a.s").write_bytes(mark + b"a\0")
    check_lint(capsys, "a.s", 2, "", ["ipu-lint: error: a.s: expected UTF-8, found UTF-16"])


def test_a_byte_order_mark_counts_as_no_column(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s="\ufeff" + BAD)
    check_lint(capsys, "--format concise a.s", 1, [f"a.s:{BAD_LINE}"])


@pytest.mark.parametrize(
    ("data", "place", "byte"),
    [
        (b"acc; # gr\xf6\xdfer\n;;\nbkpt;; # \xff\n", "1:10", "0xF6 (`ö` in Latin-1)"),
        (b"acc \xf6;;\nb\xe4r\xff: b b\xe4r\xff;; bkpt;;\n", "1:5", "0xF6 (`ö` in Latin-1)"),
        ("# ö\n# ".encode() + b"\x80\nbkpt;;\n", "2:3", "0x80"),
    ],
)
def test_of_bytes_that_are_no_utf_8_the_first_is_told(
    capsys: pytest.CaptureFixture[str], data: bytes, place: str, byte: str
) -> None:
    Path("a.s").write_bytes(data)
    message = f"expected UTF-8, found the byte {byte}; save the file as UTF-8"
    check_lint(capsys, "--format concise a.s", 1, f"a.s:{place}: error[E001] {message}\n")


def test_what_else_is_wrong_with_a_latin_1_file_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.s").write_bytes(b"# \xf6\nfoo;; bkpt;;\n")
    ran = check_lint(capsys, "--format concise a.s", 1)
    assert [line.split()[1] for line in ran.out.splitlines()] == ["error[E001]", "error[E101]"]


def test_an_instruction_set_is_chosen_for_each_file(capsys: pytest.CaptureFixture[str]) -> None:
    write(a_s="# isa: edgenpu\nbkpt;;\n", b_s=GOOD)
    ran = check_lint(capsys, "--format concise", 1)
    assert ran.out.startswith("a.s:")
    assert "b.s:" not in ran.out
    check_lint(capsys, "--isa ipu", 0)


def test_a_set_that_does_not_exist_is_told_where_it_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(b_s="acc;;\n# isa: xdna3\n", c_s="# isa: ipx\n")
    b_s = (
        "b.s:2: instruction set `xdna3` is unknown; "
        "there are colossus, edgenpu, ipu, ipu2, xdna1, xdna2"
    )
    message = "c.s:1: instruction set `ipx` is unknown; did you mean `ipu`?"
    check_lint(capsys, "", 2, None, [f"ipu-lint: error: {b_s}", f"ipu-lint: error: {message}"])
    check_lint(capsys, "c.s", 2, "", [f"ipu-lint: error: {message}"])


def test_a_failure_of_our_own_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise TypeError("two\nlines")

    write(a_s=GOOD)
    monkeypatch.setattr("ipu_asm.analysis.analyzer.Analyzer.analyze", fail)
    check_lint(
        capsys,
        "a.s",
        3,
        "",
        [
            "ipu-lint: error: internal error: TypeError: two lines; this is a bug in ipu-lint, "
            "not in the program it read: please report it with what IPU_TRACEBACK=1 shows"
        ],
    )


def test_an_interrupt_is_no_failure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    write(a_s=GOOD)
    monkeypatch.setattr("ipu_asm.analysis.analyzer.Analyzer.analyze", interrupt)
    check_lint(capsys, "a.s", 130, "", "")
