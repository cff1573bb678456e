"""Command line parsing: one-line error messages with suggestions, and shared options."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, NoReturn, Sequence

from ipu_asm.cli.console import ExitStatus, columns_of, print_message
from ipu_asm.config.configuration import Value
from ipu_asm.diagnostics.command_line import CommandLineParser


class ArgumentParser(CommandLineParser):
    """A parser that exits with status 2 and one line for a usage error, and completes in shells."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, **settings)

    def error(self, message: str) -> NoReturn:
        print_message(self.prog, f"{message} (see `{self.prog} --help`)")
        raise SystemExit(int(ExitStatus.USAGE))

    def parse(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """Parse a command line, by default that of the process."""
        self._complete()
        return self.all_known(*self.parse_known_args(arguments))

    def parse_intermixed(
        self, arguments: Sequence[str] | None, positional: str
    ) -> argparse.Namespace:
        """Parse a command line in which values of one positional argument may be between options.

        Everything behind `--` is such a value; argparse loses these in this mode.
        """
        self._complete()
        given = list(sys.argv[1:] if arguments is None else arguments)
        end = given.index("--") if "--" in given else len(given)
        namespace = self.all_known(*self.parse_known_intermixed_args(given[:end]))
        getattr(namespace, positional).extend(given[end + 1 :])
        return namespace

    def _complete(self) -> None:
        """Answer a shell that asks for completions, and exit."""
        if "_ARGCOMPLETE" in os.environ:
            from ipu_asm.cli.shell_completion import complete

            complete(self)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help formatter that keeps paragraphs as written and uses the width of the terminal.

    It determines the width itself: for this, argparse would load large modules at every start.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_terminal_width() - 2)


def _terminal_width() -> int:
    return max(40, min(100, columns_of(sys.stdout) or 80))


def isa_name(text: str) -> str:
    """Return the canonical name of an instruction set.

    Raises `argparse.ArgumentTypeError` for an unknown one.
    """
    from ipu_asm.isa import UnknownIsaError, load_isa  # most runs name no set

    try:
        return load_isa(text).name
    except UnknownIsaError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_warnings_option(parser: argparse._ActionsContainer, **settings: Any) -> None:
    """Add `--no-warnings`, for commands that show warnings besides their result."""
    parser.add_argument(
        "-W",
        "--no-warnings",
        dest="warnings",
        action="store_false",
        **settings,
        help="do not show the warnings of ipu-lint about the program",
    )


def add_isa_option(
    parser: argparse.ArgumentParser, *, has_file: bool = True, **settings: Any
) -> None:
    """Add `--isa`, which every command has; without a file nothing else can choose the set."""
    by_file = (
        "a comment `isa: NAME` in the first ten lines, then the configuration, then the file "
        "extension; else "
    )
    parser.add_argument(
        "--isa",
        type=isa_name,
        **settings,
        metavar="NAME",
        help=f"the instruction set (default: {by_file if has_file else ''}ipu)",
    )


def add_define_option(parser: argparse._ActionsContainer) -> None:
    """Add `--define`; the option is a list of pairs of name and value."""
    parser.add_argument(
        "--define",
        dest="defines",
        action="append",
        default=[],
        type=define,
        metavar="NAME=VALUE",
        help="a template variable or preprocessor macro: a number, true, false or a string; "
        "repeatable",
    )


def define(text: str) -> tuple[str, Value]:
    """Return the name and value of a `--define`. Raises `argparse.ArgumentTypeError`."""
    from ipu_asm.config.setting_error import SettingError
    from ipu_asm.config.source_keys import parse_define  # most runs define nothing

    try:
        return parse_define(text)
    except SettingError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
