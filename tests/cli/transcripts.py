"""Transcripts of the commands: files, command lines and what these print, as a shell shows it.

A file has cases, each with a sentence as its title:

    === a file that cannot be read is an error, the others are linted
    --- a.s
    acc.frist;;
    $ ipu-lint --format concise none.s a.s
    a.s:1:1: error[E101] unknown mnemonic `acc.frist`; did you mean `acc.first`?
    ! ipu-lint: error: none.s: no such file or directory
    [2]

Lines of standard error begin with `! `, and a status other than 0 is in brackets. A command may
begin with `NAME=VALUE` and end with `< FILE`. `| grep TEXT` shortens its output, as does `| codes`
that of `--format json`, to row, column and code of each finding.
`cat FILE ...` shows files and `ls` their names. A file with `\\` as its last line has no line break
at its end. Times, speeds and the version of the program read `N`.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import pytest

from ipu_asm import __version__
from ipu_asm.cli.assembler.command import main as ipu_as
from ipu_asm.cli.fmt import main as ipu_fmt
from ipu_asm.cli.lint.command import main as ipu_lint
from ipu_asm.cli.mca.command import main as ipu_mca
from ipu_asm.cli.run.command import main as ipu_run
from tests.cli.commands import Ran, give_input, run

FOLDER = Path(__file__).with_name("transcripts")
MAINS = {
    "ipu-as": ipu_as,
    "ipu-fmt": ipu_fmt,
    "ipu-lint": ipu_lint,
    "ipu-mca": ipu_mca,
    "ipu-run": ipu_run,
}
COLOR_VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")
_CASE, _FILE, _COMMAND, _OPEN_END = "=== ", "--- ", "$ ", "\\"
_CHANGING = (
    (re.compile(r"\d+\.\d+ s, [\d,]+ cycles per second"), "N s, N cycles per second"),
    (re.compile(r'"(seconds|cycles_per_second)": [\d.]+'), r'"\1": N'),
    (re.compile(re.escape(__version__)), "N"),
    (re.compile("\x1b"), r"\\e"),
)


class Case(NamedTuple):
    """A case of a file: its sentence, the text of its files, and its commands with their output."""

    title: str
    files: dict[str, str]
    commands: list[tuple[str, str]]

    def text(self, outputs: Sequence[str]) -> str:
        """Return the text of the case with other outputs."""
        parts = [f"{_CASE}{self.title}\n"]
        for name, content in self.files.items():
            end = "" if content.endswith("\n") or not content else f"\n{_OPEN_END}\n"
            parts.append(f"{_FILE}{name}\n{content}{end}")
        for (line, _), output in zip(self.commands, outputs):
            parts.append(f"{_COMMAND}{line}\n{output}")
        return "".join(parts)


def cases_of(path: Path) -> Iterator[Case]:
    """Yield the cases of a file."""
    for block in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = block.partition("\n")
        case = Case(title, {}, [])
        for part in re.split(r"^(?=--- |\$ )", body, flags=re.MULTILINE):
            head, _, rest = part.partition("\n")
            if head.startswith(_FILE):
                open_end = f"\n{_OPEN_END}\n"
                content = rest.removesuffix(open_end) if rest.endswith(open_end) else rest
                case.files[head.removeprefix(_FILE)] = content
            elif head.startswith(_COMMAND):
                case.commands.append((head.removeprefix(_COMMAND), rest))
        yield case


def outputs_of(case: Case, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write the files of a case to the working directory and return what its commands print."""
    for name, content in case.files.items():
        folder = Path(name) if name.endswith("/") else Path(name).parent
        folder.mkdir(parents=True, exist_ok=True)
        if folder != Path(name):
            Path(name).write_text(content, encoding="utf-8", newline="")
    for name in COLOR_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return [_output(line, monkeypatch) for line, _ in case.commands]


def _output(line: str, monkeypatch: pytest.MonkeyPatch) -> str:
    line, *filters = re.split(r" \| (?=grep |codes)", line)
    line, _, source = line.partition(" < ")
    words = shlex.split(line)
    with monkeypatch.context() as context:
        while "=" in words[0]:
            context.setenv(*words.pop(0).split("=", 1))
        give_input(context, Path(source).read_bytes() if source else b"")
        ran = _ran(words)
    out = ran.out
    for each in filters:
        out = _filtered(each, out)
    status = f"[{ran.status}]\n" if ran.status else ""
    err = "".join(f"! {line}\n" for line in ran.err.splitlines())
    text = f"{out}{'' if out.endswith(chr(10)) or not out else chr(10)}{err}{status}"
    for pattern, replacement in _CHANGING:
        text = pattern.sub(replacement, text)
    return text


def _ran(words: Sequence[str]) -> Ran:
    name, *arguments = words
    if name == "cat":
        return Ran(0, "".join(Path(path).read_text() for path in arguments), "")
    if name == "ls":
        names = sorted(str(path) for path in Path().rglob("*") if path.is_file())
        return Ran(0, "".join(f"{path.replace(os.sep, '/')}\n" for path in names), "")
    return run(MAINS[name], arguments)


def _filtered(text: str, out: str) -> str:
    name, _, argument = text.partition(" ")
    if name == "codes":
        places = ((found["location"], found["code"]) for found in json.loads(out))
        return " ".join(f"{at['row']}:{at['column']}:{code}" for at, code in places) + "\n"
    return "".join(line for line in out.splitlines(keepends=True) if argument in line)
