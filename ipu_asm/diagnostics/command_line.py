"""Command lines whose mistakes are told in one line: what was expected, found, and meant."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Final, Iterator, Sequence, TextIO

from ipu_asm.diagnostics.suggestions import hint_of

FILE_METAVARS: Final = ("FILE", "OUT", "DIR")
"""What options call the name of a file or folder as their value."""


class CommandLineParser(argparse.ArgumentParser):
    """`argparse` without abbreviations, with suggestions in its messages about wrong usage."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **settings)

    def all_known(self, namespace: argparse.Namespace, rest: Sequence[str]) -> argparse.Namespace:
        """Return what `parse_known_args` has parsed; exit the process if it left arguments."""
        if rest:
            self.error(self._unknown(rest[0]))
        return namespace

    def require_file(self, namespace: argparse.Namespace, what: str) -> None:
        """Exit the process if there is no FILE."""
        if namespace.file is None:
            self.error(f"expected FILE, {what}, or `-` for standard input, found none")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Override of argparse's check of `choices` that adds a suggestion to the message."""
        if action.choices is not None and value not in action.choices:
            names = [str(name) for name in action.choices]
            hint = hint_of(str(value), names)
            message = f"expected one of {', '.join(names)}, found `{value}`{hint}"
            raise argparse.ArgumentError(action, message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Override of argparse's conversion of values, which drops a `--` that is the only one."""
        if action.option_strings and action.nargs is None and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value
        return super()._get_values(action, arg_strings)

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """Override of argparse's conversion of one value that refuses files without a name."""
        if not arg_string and action.option_strings and action.metavar in FILE_METAVARS:
            raise argparse.ArgumentError(action, f"expected {action.metavar}, found an empty name")
        return super()._get_value(action, arg_string)

    def _match_argument(self, action: argparse.Action, arg_strings_pattern: str) -> int:
        """Override of argparse's look for the value of an option that says which it expects."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except argparse.ArgumentError:
            choices = ", ".join(map(str, action.choices)) if action.choices else ""
            wanted = f"one of {choices}" if choices else action.metavar or action.dest.upper()
            message = f"expected {wanted} after it, found no value"
            raise argparse.ArgumentError(action, message) from None

    def _print_message(self, message: str, file: Any = None) -> None:
        """Override of argparse's output: exits with status 2 where the help cannot be written.

        argparse ignores that, such as a full disk. A closed pipe is ignored here, too.
        """
        stream = file or sys.stderr
        if stream is None:  # the parent process has closed it
            return
        try:
            stream.write(message)
            stream.flush()
        except OSError as error:
            discard_output(stream)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                reason = (error.strerror or str(error)).lower()
                self.exit(2, f"{self.prog}: error: standard output: {reason}\n")

    def _unknown(self, argument: str) -> str:
        if not argument.startswith("-"):
            return f"unexpected argument `{argument}`"
        option = argument.partition("=")[0]
        return f"unknown option `{option}`{hint_of(option, set(self._options()))}"

    def _options(self) -> Iterator[str]:
        for action in self._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    yield from parser._options()


def discard_output(stream: TextIO) -> None:
    """Send what is written to a broken stream nowhere; Python would report it again at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
