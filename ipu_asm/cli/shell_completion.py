"""What shells complete behind options whose values are not fixed: sets, rules, mnemonics.

argcomplete asks a command for completions by running it with `_ARGCOMPLETE` in the environment, and
only then this file is loaded.
"""

from __future__ import annotations

import argparse
from typing import Callable, Final, Iterable, Iterator, Mapping

import argcomplete

from ipu_asm.isa import DEFAULT_ISA


def complete(parser: argparse.ArgumentParser) -> None:
    """Print what completes the command line that the shell has, and exit."""
    add_completers(parser)
    argcomplete.autocomplete(parser)


def add_completers(parser: argparse.ArgumentParser) -> None:
    """Give the options of a parser, and of its subcommands, what completes their values."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                add_completers(command)
        for option in action.option_strings:
            if option in _COMPLETERS:
                vars(action)["completer"] = _COMPLETERS[option]


def _sets(prefix: str, **_: object) -> Iterator[str]:
    from ipu_asm.isa import available_isas

    return _beginning(available_isas(), prefix)


def _rules(prefix: str, **_: object) -> list[str]:
    """Complete the last of the codes or names between commas."""
    before, comma, last = prefix.rpartition(",")
    return [before + comma + name for name in _beginning(_rule_names(), last)]


def _topics(prefix: str, **_: object) -> Iterator[str]:
    from ipu_asm.isa import load_isa

    return _beginning((*_rule_names(), *load_isa(DEFAULT_ISA).instructions), prefix)


def _rule_names() -> list[str]:
    from ipu_asm.lint.rules import all_rules

    rules = all_rules()
    return [rule.id.code for rule in rules] + [rule.id.name for rule in rules]


def _beginning(words: Iterable[str], prefix: str) -> Iterator[str]:
    return (word for word in words if word.startswith(prefix))


_COMPLETERS: Final[Mapping[str, Callable[..., Iterable[str]]]] = {
    "--isa": _sets,
    "--select": _rules,
    "--extend-select": _rules,
    "--ignore": _rules,
    "--explain": _topics,
}
