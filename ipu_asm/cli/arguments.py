"""Command line parsing: one-line error messages with suggestions, and shared options."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Iterator, NoReturn, Sequence

from ipu_asm.cli.console import ExitStatus, print_message
from ipu_asm.config.configuration import Value
from ipu_asm.diagnostics.suggestions import nearest_of
from ipu_asm.isa import UnknownIsaError, load_isa


class ArgumentParser(argparse.ArgumentParser):
    """`argparse` without abbreviations, with one-line error messages and exit status 2."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=_Formatter, **settings)

    def error(self, message: str) -> NoReturn:
        print_message(self.prog, f"{message} (see `{self.prog} --help`)")
        raise SystemExit(int(ExitStatus.USAGE))

    def parse(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        """Parse a command line, by default that of the process."""
        return self._all_known(*self.parse_known_args(arguments))

    def parse_intermixed(
        self, arguments: Sequence[str] | None, positional: str
    ) -> argparse.Namespace:
        """Parse a command line in which values of one positional argument may be between options.

        Everything behind `--` is such a value; argparse loses these in this mode.
        """
        given = list(sys.argv[1:] if arguments is None else arguments)
        end = given.index("--") if "--" in given else len(given)
        namespace = self._all_known(*self.parse_known_intermixed_args(given[:end]))
        getattr(namespace, positional).extend(given[end + 1 :])
        return namespace

    def _all_known(self, namespace: argparse.Namespace, rest: list[str]) -> argparse.Namespace:
        if rest:
            self.error(self._unknown(rest[0]))
        return namespace

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Override of argparse's check of `choices` that adds a suggestion to the message."""
        if action.choices is not None and value not in action.choices:
            names = [str(name) for name in action.choices]
            meant = nearest_of(str(value), names)
            hint = f"; did you mean `{meant}`?" if meant else ""
            message = f"expected one of {', '.join(names)}, found `{value}`{hint}"
            raise argparse.ArgumentError(action, message)

    def _unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"unexpected argument `{argument}`"
        option = argument.partition("=")[0]
        meant = nearest_of(option, set(self._options()))
        return f"unknown option `{option}`" + (f"; did you mean `{meant}`?" if meant else "")

    def _options(self) -> Iterator[str]:
        for action in self._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    yield from parser._options()


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help formatter that keeps paragraphs as written and uses the width of the terminal.

    It determines the width itself: for this, argparse would load large modules at every start.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28, width=_terminal_width() - 2)


def _terminal_width() -> int:
    try:
        return max(40, min(100, os.get_terminal_size().columns))
    except (OSError, ValueError):
        return 80


def isa_name(text: str) -> str:
    """Return the canonical name of an instruction set.

    Raises `argparse.ArgumentTypeError` for an unknown one.
    """
    try:
        return load_isa(text).name
    except UnknownIsaError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def add_warnings_option(parser: argparse._ActionsContainer) -> None:
    """Add `--no-warnings`, for commands that show warnings besides their result."""
    parser.add_argument(
        "-W",
        "--no-warnings",
        dest="warnings",
        action="store_false",
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
