"""Configuration files: what they may say, and what is said of their mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ipu_asm.config import Configuration, ConfigurationError
from ipu_asm.config.configuration_file import Configurations, possible_files, read_configuration
from ipu_asm.diagnostics import Severity


def check_nearest(folder: Path, configurations: Configurations | None = None) -> Configuration:
    """The configuration that counts in a folder, where there is one."""
    found = (configurations or Configurations()).nearest(str(folder))
    assert found is not None
    return found


def check_mistakes(path: Path, text: str, *mistakes: str) -> None:
    """A file with this text has these mistakes, each told in one line after its name."""
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        check_nearest(path.parent)
    assert [str(finding) for finding in caught.value.findings] == [
        f"{path}:{mistake}" for mistake in mistakes
    ]


KEYS = (
    "isa, isa-by-glob, include-paths, exclude, extend-exclude, respect-gitignore, lint, format, "
    "memory, defines, template, kernel"
)
EVERYTHING = """\
isa = "edgenpu"
include-paths = ["include", "/opt/sdk/include"]
[isa-by-glob]
"kernels/*.s" = "ipu"
"*.x" = "xdna1"
[lint]
select = ["E", "W1"]
extend-select = ["H101"]
ignore = ["unused-label"]
fail-level = "hint"
[lint.per-file-ignores]
"tests/**" = ["W"]
[format]
style = "bundle"
mnemonic-case = "upper"
[memory]
colossus = "gc2"
[defines]
WORDS = 64
DEBUG = true
[template."kernels/*.asm"]
contexts = [{cpr = 3, rows = [1, 2]}, {}]
"""


def check_everything(path: Path, text: str) -> None:
    """A file with this text says all that can be said."""
    path.write_text(text, encoding="utf-8")
    assert check_nearest(path.parent) == Configuration(
        path=str(path),
        folder=str(path.parent),
        isa="edgenpu",
        isa_by_glob=(("kernels/*.s", "ipu"), ("*.x", "xdna1")),
        select=("E", "W1"),
        extend_select=("H101",),
        ignore=("unused-label",),
        per_file_ignores={"tests/**": ("W",)},
        fail_level=Severity.HINT,
        format_style="bundle",
        mnemonic_case="upper",
        memory={"colossus": "gc2"},
        include_paths=("include", "/opt/sdk/include"),
        defines={"WORDS": 64, "DEBUG": True},
        templates=(("kernels/*.asm", ({"cpr": 3, "rows": [1, 2]}, {})),),
    )


def test_ipu_toml_says_everything(tmp_path: Path) -> None:
    check_everything(tmp_path / "ipu.toml", EVERYTHING)


def test_pyproject_says_the_same_in_tool_ipu(tmp_path: Path) -> None:
    text = "[tool.ipu]\n" + EVERYTHING.replace("[isa", "[tool.ipu.isa")
    text = text.replace("[lint", "[tool.ipu.lint").replace("[format", "[tool.ipu.format")
    text = text.replace("[memory", "[tool.ipu.memory").replace("[defines", "[tool.ipu.defines")
    text = text.replace("[template", "[tool.ipu.template")
    check_everything(tmp_path / "pyproject.toml", text)


def test_the_nearest_file_counts_and_only_it(tmp_path: Path) -> None:
    inner = tmp_path / "inner" / "most"
    inner.mkdir(parents=True)
    (tmp_path / "ipu.toml").write_text('isa = "ipu"\nlint.ignore = ["W"]\n')
    assert check_nearest(inner).isa == "ipu"
    (tmp_path / "inner" / "pyproject.toml").write_text('[tool.ipu]\nisa = "edgenpu"\n')
    assert check_nearest(inner)[2:7] == ("edgenpu", (), None, (), ())


def test_ipu_toml_counts_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.ipu]\nisa = "edgenpu"\n')
    (tmp_path / "ipu.toml").write_text('isa = "ipu"\n')
    assert check_nearest(tmp_path).isa == "ipu"


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "[project]\nname = 'ipu'\n", "x = ["])
def test_a_pyproject_that_does_not_speak_of_us_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "ipu.toml").write_text('isa = "edgenpu"\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text(text)
    assert check_nearest(inner).isa == "edgenpu"


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    assert Configurations().nearest(str(tmp_path)) is None


def test_answers_are_remembered_until_they_are_forgotten(tmp_path: Path) -> None:
    configurations = Configurations()
    (tmp_path / "ipu.toml").write_text('isa = "ipu"\n')
    assert check_nearest(tmp_path, configurations).isa == "ipu"
    (tmp_path / "ipu.toml").write_text('isa = "edgenpu"\n')
    assert check_nearest(tmp_path, configurations).isa == "ipu"
    configurations.forget()
    assert check_nearest(tmp_path, configurations).isa == "edgenpu"


def test_the_files_that_may_tell_are_those_of_all_folders_above() -> None:
    files = ["/a/b/ipu.toml", "/a/b/pyproject.toml", "/a/ipu.toml", "/a/pyproject.toml"]
    assert list(possible_files(["/a/b"])) == [*files, "/ipu.toml", "/pyproject.toml"]
    more = ["/a/c/ipu.toml", "/a/c/pyproject.toml"]
    assert list(possible_files(["/a/b", "/a/c"])) == [*files, "/ipu.toml", "/pyproject.toml", *more]


def test_a_broken_file_is_told_every_time_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_text("isa = 3\n")
    configurations = Configurations()
    for _ in range(2):
        with pytest.raises(ConfigurationError):
            check_nearest(tmp_path, configurations)


def test_all_mistakes_are_told_with_their_lines(tmp_path: Path) -> None:
    names = "colossus, edgenpu, ipu, ipu2, xdna1, xdna2"
    strings = 'expected a list of strings such as ["E101", "W"], found'
    check_mistakes(
        tmp_path / "ipu.toml",
        'isa = "ippu"\nlnit = 3\nzzz = 1\n[lint]\nselct = ["E"]\nselect = "E"\nignore = [3]\n'
        'fail-level = "warnings"\n[isa-by-glob]\n"a.s" = true\n[lint.per-file-ignores]\nx = "W"\n',
        f'1: `isa`: expected one of {names}, found "ippu"; did you mean `ipu`?',
        "2: `lnit`: unknown key; did you mean `lint`?",
        f"3: `zzz`: unknown key; there are {KEYS}",
        f'9: `isa-by-glob`: "a.s": expected one of {names}, found true',
        "5: `lint.selct`: unknown key; did you mean `select`?",
        f'6: `lint.select`: {strings} "E"',
        f"7: `lint.ignore`: {strings} [3]",
        '8: `lint.fail-level`: expected one of error, warning, hint, found "warnings"; '
        "did you mean `warning`?",
        f'11: `lint.per-file-ignores`: "x": {strings} "W"',
    )


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("a = 1\nisa = \n", "2: invalid value"),
        (
            '[format]\nstyle = "bundles"\n',
            "2: `format.style`: expected one of keep, instruction, bundle, "
            'found "bundles"; did you mean `bundle`?',
        ),
        (
            '[memory]\ncolossus = "gc3"\n',
            '2: `memory.colossus`: expected one of gc200, gc2, found "gc3"',
        ),
        (
            '[memory]\ncolossus = "gcs200"\n',
            '2: `memory.colossus`: expected one of gc200, gc2, found "gcs200"; '
            "did you mean `gc200`?",
        ),
        ("[memory]\nipu = 1\n", "2: `memory.ipu`: unknown key; there are colossus"),
        ("[format]\nwidth = 3\n", "2: `format.width`: unknown key; there are style, mnemonic-case"),
        (
            '[kernel."a.s".run]\ndtype = "int8"\nlaod = []\n',
            "3: `kernel.a.s.run.laod`: unknown key; did you mean `load`?",
        ),
        (
            '[kernel."a.s".run]\nload = ["x.npy"]\n',
            "2: `kernel.a.s.run.load`: expected FILE@ADDR[:LENGTH][:DTYPE], found `x.npy`",
        ),
        (
            '[kernel."a.s".run]\nexpect = ["zeros@0"]\n',
            "2: `kernel.a.s.run.expect`: `zeros@0` needs a length, as in `zeros@0:1024`",
        ),
        (
            '[kernel."a.s".run]\ncr = {1 = [2, 3]}\n',
            "2: `kernel.a.s.run.cr`: `cr1`: a run has one value, found 2",
        ),
        (
            '[kernel."a.s".run]\nwide = "fp16"\n',
            '2: `kernel.a.s.run.wide`: expected one of off, fp32, int32, found "fp16"',
        ),
        ('[kernel."a.s"]\nrun = 3\n', "2: `kernel.a.s.run`: expected a table, found 3"),
        ("format = 1\n", "1: `format`: expected a table, found 1"),
        ("lint = 1\n", "1: `lint`: expected a table, found 1"),
        ("isa-by-glob = 'x'\n", '1: `isa-by-glob`: expected a table of globs, found "x"'),
    ],
)
def test_what_is_no_configuration_is_told(tmp_path: Path, text: str, mistake: str) -> None:
    check_mistakes(tmp_path / "ipu.toml", text, mistake)


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("\n[tool]\nipu = 3\n", "3: `tool.ipu`: expected a table, found 3"),
        ("[tool.ipu]\nlint.slect = []\n", "2: `lint.slect`: unknown key; did you mean `select`?"),
    ],
)
def test_mistakes_in_a_pyproject_have_lines_too(tmp_path: Path, text: str, mistake: str) -> None:
    check_mistakes(tmp_path / "pyproject.toml", text, mistake)


HOSTILE = {
    "brackets": ("\nx=" + "[" * 60_000, "2: arrays and tables nest at most 50 deep, found more"),
    "tables": ("\nx=" + "{a=" * 60_000, "2: arrays and tables nest at most 50 deep, found more"),
    "digits": ("\nx=" + "1" * 4_301, "2: a number has at most 64 characters, found 4,301"),
    "hexadecimal": (f"\nx=0x{'f' * 5_000}", "2: a number has at most 64 characters, found 5,002"),
    "parts": ("\n" + ".".join("a" * 60_000), "2: a key has at most 32 parts, found more"),
    "header": (f"\n[{'.'.join('a' * 60_000)}]", "2: a key has at most 32 parts, found more"),
    "bytes": ("#" * 300_000, "1: a configuration has at most 262,144 bytes, found more"),
    "blanks": ("\na" + " " * 200_000, "2: expected '=' after a key in a key/value pair"),
    "no end": ('\nisa = "' + "\\n" * 100_000, "2: unterminated string"),
    "globs": (
        "\n[isa-by-glob]\n" + "".join(f'"a{n}" = "ipu"\n' for n in range(4_000)),
        "2: `isa-by-glob`: expected at most 1,000 globs, found 4,000",
    ),
    "glob": (
        f'\n[isa-by-glob]\n"{"*a" * 900}" = "ipu"\n',
        "2: `isa-by-glob`: a glob has at most 1,000 characters, found 1,800",
    ),
    "key": ("x" * 200_000 + " = 1\n", f"1: `{'x' * 60}...`: unknown key; there are {KEYS}"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_has_one_mistake_at_its_place(tmp_path: Path, name: str) -> None:
    text, mistake = HOSTILE[name]
    check_mistakes(tmp_path / "ipu.toml", text, mistake)


def test_of_many_mistakes_the_first_hundred_are_told_and_the_rest_is_counted(
    tmp_path: Path,
) -> None:
    unknown = "unknown key; there are style, mnemonic-case"
    told = [f"{n + 2}: `format.key{n}`: {unknown}" for n in range(100)]
    text = "[format]\n" + "".join(f"key{n} = 1\n" for n in range(4_000))
    path = tmp_path / "ipu.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        check_nearest(tmp_path)
    assert caught.value.count == 4_000
    expected = [*(f"{path}:{line}" for line in told), f"{path}: 3,900 more mistakes"]
    assert [str(finding) for finding in caught.value.findings] == expected


def test_keys_are_found_wherever_toml_lets_them_stand(tmp_path: Path) -> None:
    text = (
        "# isa = 3\n'lint'. \"selct\" = [ # ]\n  'a = 1', \\\n]\n"
        'x = """\nisa = 4\n""" # [lint]\n[ lint . "per-file-ignores" ]\r\n"a=b" = 3\n'
    ).replace("\\\n", "\n")
    unknown = "unknown key; did you mean `select`?"
    check_mistakes(
        tmp_path / "ipu.toml",
        text,
        f"5: `x`: unknown key; there are {KEYS}",
        f"2: `lint.selct`: {unknown}",
        '8: `lint.per-file-ignores`: "a=b": expected a list of strings such as ["E101", "W"], '
        "found 3",
    )


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in ("/dev/zero", str(tmp_path)):
        (finding,) = read_configuration(path).findings
        assert finding.path == path


def test_folders_may_be_deeper_than_the_stack() -> None:
    assert Configurations().nearest("/nowhere" + "/d" * 3_000) is None


@pytest.mark.parametrize("name", ["ipu.toml", "pyproject.toml"])
@pytest.mark.parametrize("text", ['isa = "ipu2"\n', '[lint]\nignore = ["E106"]\n', "isa = 3\n"])
def test_a_byte_order_mark_changes_nothing(tmp_path: Path, name: str, text: str) -> None:
    if name == "pyproject.toml":
        text = text.replace("[", "[tool.ipu.", 1) if "[" in text else f"[tool.ipu]\n{text}"
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    expected = read_configuration(str(path))
    assert expected.configuration or expected.findings
    path.write_text(text, encoding="utf-8-sig")
    assert read_configuration(str(path)) == expected


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "ipu.toml").write_bytes(b'# x\nisa = "\xff"\n')
    with pytest.raises(ConfigurationError, match=r"ipu\.toml:2: expected UTF-8, found the byte 0x"):
        check_nearest(tmp_path)
