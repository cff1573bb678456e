"""Configuration: ipu.toml, globs, include folders, and the choice of an instruction set.

Settings are read once for a file, with every mistake at its line. Reading and writing of files
within limits is here as well. Begin with `configuration_file.py`. These are the settings:

isa = "ipu"                      # the instruction set of all files below this folder
exclude = ["node_modules"]       # globs of what searches leave out, in place of the default
extend-exclude = ["generated"]   # further ones
respect-gitignore = true         # leave out what git ignores
[isa-by-glob]
"kernels/npu/*.s" = "edgenpu"    # the first match wins; both keys win over file extensions
[memory]
colossus = "gc200"               # the machine whose memory limits apply: gc200 or gc2
[lint]
select = ["E", "W"]              # codes, names or prefixes of codes
extend-select = ["H301"]
ignore = ["unused-label"]
fail-level = "warning"           # error, warning or hint
[lint.per-file-ignores]
"tests/**" = ["W"]
[format]
style = "keep"                   # keep, instruction or bundle: how many instructions a line
mnemonic-case = "keep"           # keep, upper or lower, in sets that accept any case

Those of source expansion are in `source_keys`, those of what the host sets in `kernel_keys`.
"""

from __future__ import annotations

from typing import Mapping, Sequence

from ipu_asm.diagnostics import Severity
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import Span

Value = bool | int | float | str | list["Value"] | dict[str, "Value"]
"""A value from outside: of ``--define``, of a template context, of ``[defines]``."""

Context = Mapping[str, Value]
"""The names of a template context with their values."""

FAIL_LEVELS: Mapping[str, Severity] = {severity.label: severity for severity in Severity}
FORMAT_STYLES = ("keep", "instruction", "bundle")
"""Lines as the author wrote them, one instruction a line, one bundle a line."""
MNEMONIC_CASES = ("keep", "upper", "lower")
"""How formatting writes mnemonics of sets that accept any case."""
DEFAULT_EXCLUDE = ("node_modules", "__pycache__")
"""What `exclude` is by default. Hidden files and folders are never searched."""
MOST_CONTEXTS = 64
"""The contexts of one template: it is expanded and checked in each."""
MOST_FINDINGS = 100
"""How many findings of one file are listed; the others are counted."""


class KernelRun(NamedTuple):
    """The default inputs of a run of a kernel: the table ``[kernel."GLOB".run]``.

    `settings` are options of the machine by name, `cr` and `lr` are by number, `registers` those of
    other machines by name. `args`, `load` and `expect` are as the options of `ipu-run` have them,
    with files relative to the configuration.
    """

    settings: Mapping[str, str | bool | float] = {}
    cr: Mapping[int, int] = {}
    lr: Mapping[int, int] = {}
    registers: Mapping[str, int] = {}
    entry: str | None = None
    args: tuple[str, ...] = ()
    load: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    define: Mapping[str, Value] = {}


class Configuration(NamedTuple):
    """The settings of one file; all are optional. Globs are relative to `folder`."""

    path: str = ""
    folder: str = ""
    isa: str | None = None
    isa_by_glob: tuple[tuple[str, str], ...] = ()
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, Sequence[str]] = {}
    fail_level: Severity | None = None
    format_style: str | None = None
    mnemonic_case: str | None = None
    memory: Mapping[str, str] = {}
    include_paths: tuple[str, ...] | None = None
    defines: Mapping[str, Value] = {}
    templates: tuple[tuple[str, tuple[Context, ...]], ...] = ()
    kernels: tuple[tuple[str, tuple[Mapping[str, int], ...]], ...] = ()
    runs: tuple[tuple[str, KernelRun], ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool = True

    @property
    def names_rules(self) -> bool:
        """Whether it selects or ignores rules."""
        return bool(self.select or self.extend_select or self.ignore or self.per_file_ignores)


class ConfigurationFinding(NamedTuple):
    """One mistake in a configuration: a sentence and its place.

    `path` is the file, or the option that stands for one; it is empty for the command line as a
    whole. `line` is 1-based, None where the finding has no line. `span` is that line without the
    blanks around it. A fatal finding makes the whole file ignored.
    """

    message: str
    path: str = ""
    line: int | None = None
    span: Span = Span(0, 0)
    is_fatal: bool = True

    def __str__(self) -> str:
        """One line for a terminal: ``path:line: message``."""
        line = "" if self.line is None else f":{self.line}"
        return f"{self.path}{line}: {self.message}" if self.path else self.message


def line_finding(message: str, text: str, path: str, offset: int) -> ConfigurationFinding:
    """The finding about the line of a text that holds `offset`."""
    start, end = text.rfind("\n", 0, offset) + 1, text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)]
    first = start + len(line) - len(line.lstrip())
    span = Span(first, max(first, start + len(line.rstrip())))
    return ConfigurationFinding(message, path, 1 + text.count("\n", 0, offset), span)


class ConfigurationError(Exception):
    """A configuration that cannot be used; `findings` says why, `count` how many there were."""

    def __init__(self, findings: Sequence[ConfigurationFinding], count: int = 0) -> None:
        self.findings = tuple(findings)
        self.count = max(count, len(findings))
        super().__init__("; ".join(map(str, findings)))

    @property
    def path(self) -> str:
        """The file with the findings; empty for the command line."""
        return self.findings[0].path


def listed(
    findings: Sequence[ConfigurationFinding], count: int = 0, text: str = ""
) -> tuple[ConfigurationFinding, ...]:
    """The findings of one file, cut to the first `MOST_FINDINGS` and one that counts the rest.

    `count` is the number of all where `findings` has only the first of them, `text` that of the
    file.
    """
    shown = tuple(findings[:MOST_FINDINGS])
    rest = max(count, len(findings)) - len(shown)
    if not rest:
        return shown
    message = f"{rest:,} more {'mistake' if rest == 1 else 'mistakes'}"
    return (*shown, line_finding(message, text, shown[0].path, 0)._replace(line=None))
