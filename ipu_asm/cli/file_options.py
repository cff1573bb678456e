"""The options by which commands choose files and their settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from ipu_asm.config.files import STANDARD_INPUT

if TYPE_CHECKING:
    import argparse

    from ipu_asm.cli.arguments import ArgumentParser


def add_paths(parser: argparse._ActionsContainer, standard_input: str) -> None:
    """Add the positional argument PATH; `standard_input` says what `-` is good for."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help=f"a file, a folder to search for sources, or {standard_input} "
        "(default: the current folder)",
    )


def add_file_options(parser: argparse._ActionsContainer) -> None:
    """Add `--stdin-filename`, `--exclude`, `--force-exclude`, `--config` and `--isolated`."""
    parser.add_argument(
        "--stdin-filename",
        metavar="NAME",
        help="the path that standard input has: it chooses the configuration and the set",
    )
    add_exclude_options(parser)
    parser.add_argument(
        "--config", metavar="FILE", help="use this ipu.toml or pyproject.toml, not the nearest one"
    )
    parser.add_argument("--isolated", action="store_true", help="ignore all configuration files")


def add_exclude_options(parser: argparse._ActionsContainer) -> None:
    """Add `--exclude` and `--force-exclude`."""
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOBS",
        help="leave these files and folders out as well; globs as in .gitignore, with commas",
    )
    parser.add_argument(
        "--force-exclude",
        action="store_true",
        help="leave out excluded files also where they are named as PATH",
    )


def complete_file_options(parser: ArgumentParser, values: dict[str, Any]) -> None:
    """Turn what was parsed into the values of `FileOptions`, in place.

    Exits with a message if options exclude each other.
    """
    is_named = values["stdin_filename"] is not None
    values["paths"] = tuple(values["paths"]) or ((STANDARD_INPUT,) if is_named else (".",))
    values["exclude"] = names_in(values["exclude"])
    if is_named and STANDARD_INPUT not in values["paths"]:
        parser.error("--stdin-filename applies to standard input, but no PATH is `-`")
    if values["config"] and values["isolated"]:
        parser.error("--config and --isolated exclude each other")


def names_in(lists: Sequence[str]) -> tuple[str, ...]:
    """Return the names of lists with commas, without the blanks around them."""
    names = (name.strip() for names in lists for name in names.split(","))
    return tuple(name for name in names if name)
