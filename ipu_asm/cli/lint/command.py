"""`ipu-lint`: print the findings of files and folders.

Hints are shown like errors and warnings, but do not make the exit status 1, so that a remark does
not break a build. `--fail-level hint` makes them count, `--ignore H` omits them.
"""

from __future__ import annotations

import sys
from typing import Iterator, Sequence

from ipu_asm.cli.console import ExitStatus, is_terminal, print_message, run_guarded, write
from ipu_asm.cli.lint.options import LintOptions, read_options
from ipu_asm.cli.lint.run import PROGRAM, LintRun
from ipu_asm.config.files import counted
from ipu_asm.config.isa_choice import IsaChooser
from ipu_asm.isa import load_isa


def main(argv: Sequence[str] | None = None) -> int:
    """Run `ipu-lint` with `argv`, by default that of the process; return the exit status."""
    return run_guarded(PROGRAM, lambda: _command(read_options(argv)))


def _command(options: LintOptions) -> int:
    if options.explain is not None:
        return _explain(options.explain, options.isa)
    if options.unsafe_fixes and not (options.fix or options.diff):
        print_message(PROGRAM, "--unsafe-fixes changes nothing without --fix or --diff", "note")
    return _watch(options) if options.watch else LintRun(options).status()


def _explain(query: str, isa_name: str | None) -> int:
    from ipu_asm.reports.explanation import explain, suggestions

    isa = load_isa(IsaChooser(isa_name).choose("", "").name)
    page = explain(query, isa)
    if page is not None:
        write(f"{page.rstrip()}\n", sys.stdout)
        return ExitStatus.OK
    near = " or ".join(f"`{name}`" for name in suggestions(query, isa))
    hint = f"; did you mean {near}?" if near else ""
    print_message(PROGRAM, f"no rule and no instruction of {isa.name} is called `{query}`{hint}")
    return ExitStatus.USAGE


def _watch(options: LintOptions) -> int:
    from ipu_asm.cli.lint.watch import watch

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

    watch(act, paths)
    return ExitStatus.OK
