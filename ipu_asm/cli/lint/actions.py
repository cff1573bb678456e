"""What `ipu-lint` does: lint once, whenever a file changes, or explain a rule."""

from __future__ import annotations

import os
import sys
from typing import Iterator, Sequence

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
from ipu_asm.text import counted


def run_command(argv: Sequence[str] | None) -> int:
    """Run `ipu-lint` with `argv`; None: with the arguments of the process. Return its status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: LintOptions) -> int:
    if options.explain is not None:
        return _explain(options.explain, options.isa, options.color)
    if options.unsafe_fixes and not (options.fix or options.diff):
        print_message(PROGRAM, "--unsafe-fixes changes nothing without --fix or --diff", "note")
    return _watch(options) if options.watch else LintRun(options).status()


def _explain(query: str, isa_name: str | None, color: str) -> int:
    from ipu_asm.config.isa_choice import IsaChooser
    from ipu_asm.isa import load_isa
    from ipu_asm.reports.explanation import explain, suggestions

    isa = load_isa(IsaChooser(isa_name).choose("", "").name)
    page = explain(query, isa)
    if page is not None:
        if is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
            from ipu_asm.cli.pages import terminal_page  # takes longer than all the rest

            page = terminal_page(page, wants_color(color, sys.stdout))
        write(f"{page.rstrip()}\n", sys.stdout)
        return ExitStatus.OK
    near = " or ".join(f"`{name}`" for name in suggestions(query, isa))
    hint = f"; did you mean {near}?" if near else ""
    print_message(PROGRAM, f"no rule and no instruction of {isa.name} is called `{query}`{hint}")
    return ExitStatus.USAGE


def _watch(options: LintOptions) -> int:
    from ipu_asm.cli.lint.watch import PipeReader, watch

    run = LintRun(options)

    def act() -> None:
        nonlocal run
        if is_terminal(sys.stdout):
            write("\x1b[2J\x1b[H", sys.stdout)
        run = LintRun(options)
        run.status()
        files = counted(len(run.results), "file")
        print_message(PROGRAM, f"watching {files} for changes, Ctrl-C ends it", "note")

    def paths() -> Iterator[str]:
        return run.paths()

    watch(act, paths, PipeReader().is_gone)
    return ExitStatus.OK
