"""What `ipu-lint` does: lint once, whenever a file changes, or explain a rule."""

from __future__ import annotations

import io
import os
import select
import stat
import sys
import time
from typing import Callable, Iterable, Iterator, Mapping, Sequence, TextIO

from ipu_asm.cli.console import (
    ExitStatus,
    is_terminal,
    print_message,
    run_guarded,
    wants_color,
    write,
)
from ipu_asm.cli.lint.options import LintOptions, read_options
from ipu_asm.cli.lint.run import PROGRAM, LintRun
from ipu_asm.config import DEFAULT_EXCLUDE, Configuration, KernelRun
from ipu_asm.config.files import Version, version_of
from ipu_asm.config.isa_choice import IsaChoice, IsaChooser
from ipu_asm.emulator.interrupts import Interrupts
from ipu_asm.text import counted

_MAX_PAGE_WIDTH = 100


def run_command(argv: Sequence[str] | None) -> int:
    """Run `ipu-lint` with `argv`; None: with the arguments of the process. Return its status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: LintOptions) -> int:
    if options.explain is not None:
        return _explain(options.explain, options.isa, options.color)
    if options.unsafe_fixes and not (options.fix or options.diff):
        print_message(PROGRAM, "--unsafe-fixes changes nothing without --fix or --diff", "note")
    if options.show_files or options.show_settings:
        return _show(options)
    return _watch(options) if options.watch else LintRun(options).status()


def _show(options: LintOptions) -> int:
    """Show the files to lint, or the settings of the first one."""
    run = LintRun(options)
    linter = run.linter()
    if linter is None:
        return ExitStatus.USAGE
    targets = run.targets(linter.configurations)
    if options.show_files:
        write("".join(f"{target.name}\n" for target in targets), sys.stdout)
        return run.exit_status()
    for target in targets[:1]:
        settings = linter.settings_of(target)
        if settings is not None:
            write(settings_text(target.name, *settings), sys.stdout)
    return run.exit_status()


def _explain(query: str, isa_name: str | None, color: str) -> int:
    from ipu_asm.isa import load_isa
    from ipu_asm.reports.pages import explain, suggestions

    isa = load_isa(IsaChooser(isa_name).choose("", "").name)
    page = explain(query, isa)
    if page is not None:
        if is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
            page = terminal_page(page, wants_color(color, sys.stdout))
        write(f"{page.rstrip()}\n", sys.stdout)
        return ExitStatus.OK
    near = " or ".join(f"`{name}`" for name in suggestions(query, isa))
    hint = f"; did you mean {near}?" if near else ""
    print_message(PROGRAM, f"no rule and no instruction of {isa.name} is called `{query}`{hint}")
    return ExitStatus.USAGE


def terminal_page(text: str, has_color: bool, width: int | None = None) -> str:
    """Return a Markdown page with headings, tables and code for a terminal.

    By default it is as wide as the terminal, at most 100 columns.
    """
    from rich.console import Console  # takes longer than all the rest
    from rich.markdown import Markdown

    console = Console(
        file=io.StringIO(),
        force_terminal=has_color,
        no_color=not has_color,
        color_system="standard" if has_color else None,
        width=min(width or Console().width, _MAX_PAGE_WIDTH),
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(Markdown(text, code_theme="ansi_dark", hyperlinks=has_color))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"


def _watch(options: LintOptions) -> int:
    run = LintRun(options)

    def act() -> None:
        nonlocal run
        if is_terminal(sys.stdout):
            write("\x1b[2J\x1b[H", sys.stdout)
        run = LintRun(options)
        run.status()
        files = counted(len(run.results), "file")
        print_message(PROGRAM, f"watching {files} for changes, Ctrl-C ends it", "note")

    watch(act, lambda: run.paths(), PipeReader().is_gone)
    return ExitStatus.OK


INTERVAL = 0.3
"""Seconds between two polls."""


def watch(
    act: Callable[[], None],
    paths: Callable[[], Iterable[str]],
    is_over: Callable[[], bool] = lambda: False,
) -> None:
    """Call `act` now and after each change of the files in `paths`.

    Ctrl-C ends the loop, and `is_over`, which is asked at every poll.

    `paths` is called at every poll, so that new and deleted files count as changes; which headers
    there are is known after `act`. A change while `act` runs makes it run once more.
    """
    try:
        with Interrupts() as interrupts:
            while not (interrupts.is_pending or is_over()):
                before = versions(paths())
                act()
                after = versions(paths())
                if any(after.get(path, before[path]) != before[path] for path in before):
                    continue
                while not (interrupts.is_pending or is_over()) and versions(paths()) == after:
                    time.sleep(INTERVAL)
    except KeyboardInterrupt:
        return


class PipeReader:
    """The process that reads standard output, if that is a pipe when this is created."""

    def __init__(self) -> None:
        self._has_pipe = _is_pipe(sys.stdout)

    def is_gone(self) -> bool:
        """Return whether nothing reads the pipe any more."""
        if not self._has_pipe or sys.stdout is None:
            return False
        if not _is_pipe(sys.stdout):  # a write has failed, so that output is discarded
            return True
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))


def _is_pipe(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def versions(paths: Iterable[str]) -> Mapping[str, Version | None]:
    """Return the current version of each file."""
    return {path: version_of(path) for path in paths}


Toml = bool | int | float | str | Sequence["Toml"] | Mapping[str, "Toml"]


def settings_text(path: str, isa: IsaChoice, settings: Configuration) -> str:
    """Return the settings that apply to a file.

    `isa` is the choice of its instruction set. Settings without a value in the
    configuration have their default.
    """
    lines = [f"# {path}: {settings.path or 'no configuration file'}"]
    lines.append(f"isa = {_toml(isa.name)}  # {isa.origin}")
    lines += _keys(
        {
            "exclude": list(DEFAULT_EXCLUDE if settings.exclude is None else settings.exclude),
            "extend-exclude": list(settings.extend_exclude),
            "respect-gitignore": settings.respect_gitignore,
            "include-paths": list(settings.include_paths or ["include"]),
        }
    )
    for table, values in _tables(settings).items():
        if values:
            lines += ["", f"[{table}]", *_keys(values)]
    return "\n".join(lines) + "\n"


def _tables(settings: Configuration) -> dict[str, Mapping[str, Toml]]:
    lint: dict[str, Toml] = {
        "select": ["ALL"] if settings.select is None else list(settings.select),
        "extend-select": list(settings.extend_select),
        "ignore": list(settings.ignore),
        "fail-level": "warning" if settings.fail_level is None else settings.fail_level.label,
    }
    ignores = {glob: list(names) for glob, names in settings.per_file_ignores.items()}
    return {
        "isa-by-glob": dict(settings.isa_by_glob),
        "memory": dict(settings.memory),
        "defines": dict(settings.defines),
        **{
            f"template.{_toml(glob)}": {"contexts": [dict(each) for each in contexts]}
            for glob, contexts in settings.templates
        },
        **{
            f"kernel.{_toml(glob)}": {"contexts": [dict(each) for each in registers]}
            for glob, registers in settings.kernels
        },
        **{f"kernel.{_toml(glob)}.run": _run(run) for glob, run in settings.runs},
        "lint": lint,
        "lint.per-file-ignores": ignores,
        "format": {
            "style": settings.format_style or "keep",
            "mnemonic-case": settings.mnemonic_case or "keep",
        },
    }


def _run(run: KernelRun) -> dict[str, Toml]:
    values: dict[str, Toml] = {**run.settings, **run._asdict()}
    del values["settings"]
    for file, registers in (("cr", run.cr), ("lr", run.lr)):
        values[file] = {str(number): value for number, value in registers.items()}
    given = ((key, value) for key, value in values.items() if value not in ({}, (), None))
    return {key.replace("_", "-"): value for key, value in given}


def _keys(values: Mapping[str, Toml]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{_key(key)} = {_toml(value)}"


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else _toml(name)


def _toml(value: Toml) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(_keys(value))
        return f"{{{inner}}}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, Sequence) else str(value)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    shown = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
    return f'"{shown}"'
