"""Command lines: options as declared attributes, one-line error messages, completion in shells."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Callable, Final, Iterable, Iterator, Mapping, NoReturn, Self, Sequence

from ipu_asm import __version__
from ipu_asm.cli.console import COLOR_CHOICES, ExitStatus, columns_of, print_message
from ipu_asm.config import Value
from ipu_asm.config.files import STANDARD_INPUT
from ipu_asm.diagnostics.command_line import CommandLineParser


class Option:
    """An option or operand of a command: what `argparse` takes, and the help group it is in.

    `convert` turns what was parsed into the value of the attribute that declares the option.
    """

    def __init__(
        self,
        *names: str,
        group: str = "",
        convert: Callable[[Any], Any] | None = None,
        **settings: Any,
    ) -> None:
        self.names, self.group, self.convert, self.settings = names, group, convert, settings

    def in_group(self, group: str) -> Any:
        """Return the same declaration for a group of `--help`."""
        return Option(*self.names, group=group, convert=self.convert, **self.settings)

    def add_to(self, parser: argparse._ActionsContainer, dest: str) -> None:
        """Add the option to a parser or to a group of one."""
        is_operand = not self.names or self.settings.get("action") == "version"
        target: dict[str, Any] = {} if is_operand else {"dest": dest}
        parser.add_argument(*(self.names or (dest,)), **target, **self.settings)

    def value(self, parsed: Mapping[str, Any], dest: str) -> Any:
        """Return the value of the attribute, of what was parsed."""
        found = parsed.get(dest)
        return found if found is None or self.convert is None else self.convert(found)


class Options:
    """The options of a command: attributes, each declared by `option` in the order of `--help`."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)

    @classmethod
    def declared(cls) -> dict[str, Option]:
        """Return the declarations by the names of attributes."""
        return {name: each for name, each in vars(cls).items() if isinstance(each, Option)}

    @classmethod
    def of(cls, parsed: argparse.Namespace) -> Self:
        """Return the options of a parsed command line."""
        values = vars(parsed)
        return cls(**{name: each.value(values, name) for name, each in cls.declared().items()})

    def replaced(self, **values: Any) -> Self:
        """Return the options with other values of some."""
        return type(self)(**{**vars(self), **values})


def option(*names: str, **settings: Any) -> Any:
    """Declare an option; `settings` are those of `argparse`, `group` and `convert`."""
    return Option(*names, **settings)


def flag(*names: str, **settings: Any) -> Any:
    """Declare an option without a value."""
    return Option(*names, action="store_true", **settings)


def off_flag(*names: str, **settings: Any) -> Any:
    """Declare an option without a value that makes its attribute false."""
    return Option(*names, action="store_false", **settings)


def repeated(*names: str, convert: Callable[[Any], Any] = tuple, **settings: Any) -> Any:
    """Declare an option that may be given several times."""
    return Option(*names, action="append", default=[], convert=convert, **settings)


class ArgumentParser(CommandLineParser):
    """A parser that exits with status 2 and one line for a usage error, and completes in shells."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, **settings)

    def add_options(self, declared: Mapping[str, Option]) -> None:
        """Add options in their order, with their groups."""
        groups: dict[str, argparse._ActionsContainer] = {"": self}
        for dest, each in declared.items():
            if each.group not in groups:
                groups[each.group] = self.add_argument_group(each.group)
            each.add_to(groups[each.group], dest)

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

        Everything after `--` is such a value; argparse loses these in this mode.
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
            import argcomplete

            add_completers(self)
            argcomplete.autocomplete(self)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help formatter that keeps paragraphs as written and uses the width of the terminal.

    It determines the width itself: for this, argparse would load large modules at every start.
    """

    def __init__(self, prog: str) -> None:
        width = max(40, min(100, columns_of(sys.stdout) or 80))
        super().__init__(prog, max_help_position=28, width=width - 2)


VERSION: Final[Any] = option("--version", action="version", version=f"%(prog)s {__version__}")


def isa_option(*, has_file: bool = True, **settings: Any) -> Any:
    """Declare `--isa`, which every command has; without a file nothing else can choose the set."""
    by_file = (
        "a comment `isa: NAME` in the first ten lines, then the configuration, then the file "
        "extension; else "
    )
    return option(
        "--isa",
        type=_isa_name,
        metavar="NAME",
        help=f"the instruction set (default: {by_file if has_file else ''}ipu)",
        **settings,
    )


def _isa_name(text: str) -> str:
    from ipu_asm.isa import UnknownIsaError, load_isa  # most runs name no set

    try:
        return load_isa(text).name
    except UnknownIsaError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def color_option(purpose: str = "", **settings: Any) -> Any:
    """Declare `--color`; `purpose` is what is coloured, such as " in a diff"."""
    text = (
        f"when to use colors{purpose}; auto follows NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and the "
        "terminal (default: auto)"
    )
    return option("--color", choices=COLOR_CHOICES, default="auto", help=text, **settings)


def warnings_option(**settings: Any) -> Any:
    """Declare `--no-warnings`, for commands that show warnings besides their result."""
    text = "do not show the warnings of ipu-lint about the program"
    return off_flag("-W", "--no-warnings", help=text, **settings)


def define(text: str) -> tuple[str, Value]:
    """Return the name and value of a `--define`. Raises `argparse.ArgumentTypeError`."""
    from ipu_asm.config.schema import SettingError
    from ipu_asm.config.source_keys import parse_define  # most runs define nothing

    try:
        return parse_define(text)
    except SettingError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


DEFINE: Final[Any] = repeated(
    "--define",
    type=define,
    convert=dict,
    metavar="NAME=VALUE",
    help="a template variable or preprocessor macro: a number, true, false or a string; repeatable",
)


def names_in(lists: Sequence[str]) -> tuple[str, ...]:
    """Return the names of lists with commas, without the blanks around them."""
    names = (name.strip() for names in lists for name in names.split(","))
    return tuple(name for name in names if name)


def paths_option(standard_input: str) -> Any:
    """Declare the operand PATH; `standard_input` says what `-` is good for."""
    return option(
        nargs="*",
        convert=tuple,
        metavar="PATH",
        help=f"a file, a folder to search for sources, or {standard_input} "
        "(default: the current folder)",
    )


STDIN_FILENAME: Final[Any] = option(
    "--stdin-filename",
    metavar="NAME",
    help="the path that standard input has: it chooses the configuration and the set",
)
EXCLUDE: Final[Any] = repeated(
    "--exclude",
    convert=names_in,
    metavar="GLOBS",
    help="leave these files and folders out as well; globs as in .gitignore, with commas",
)
FORCE_EXCLUDE: Final[Any] = flag(
    "--force-exclude", help="leave out excluded files also where they are named as PATH"
)
CONFIG: Final[Any] = option(
    "--config", metavar="FILE", help="use this ipu.toml or pyproject.toml, not the nearest one"
)
ISOLATED: Final[Any] = flag("--isolated", help="ignore all configuration files")


def complete_paths(parser: ArgumentParser, parsed: argparse.Namespace) -> None:
    """Set the default of PATH. Exits with a message if options of files exclude each other."""
    is_named = parsed.stdin_filename is not None
    parsed.paths = parsed.paths or [STANDARD_INPUT if is_named else "."]
    if is_named and STANDARD_INPUT not in parsed.paths:
        parser.error("--stdin-filename applies to standard input, but no PATH is `-`")
    if parsed.config and parsed.isolated:
        parser.error("--config and --isolated exclude each other")


def add_completers(parser: argparse.ArgumentParser) -> None:
    """Give options whose values are not fixed, also of subcommands, what completes them."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                add_completers(command)
        for name in action.option_strings:
            if name in _COMPLETERS:
                vars(action)["completer"] = _COMPLETERS[name]


def _complete_isa(prefix: str, **_: object) -> Iterator[str]:
    from ipu_asm.isa import available_isas

    return _beginning(available_isas(), prefix)


def _complete_rules(prefix: str, **_: object) -> list[str]:
    """Complete the last of the codes or names between commas."""
    before, comma, last = prefix.rpartition(",")
    return [before + comma + name for name in _beginning(_rule_names(), last)]


def _complete_topic(prefix: str, **_: object) -> Iterator[str]:
    from ipu_asm.isa import DEFAULT_ISA, load_isa

    return _beginning((*_rule_names(), *load_isa(DEFAULT_ISA).instructions), prefix)


def _rule_names() -> list[str]:
    from ipu_asm.lint.rules import all_rules

    rules = all_rules()
    return [rule.id.code for rule in rules] + [rule.id.name for rule in rules]


def _beginning(words: Iterable[str], prefix: str) -> Iterator[str]:
    return (word for word in words if word.startswith(prefix))


_COMPLETERS: Final[Mapping[str, Callable[..., Iterable[str]]]] = {
    "--isa": _complete_isa,
    **dict.fromkeys(("--select", "--extend-select", "--ignore"), _complete_rules),
    "--explain": _complete_topic,
}
