"""The lint rules, discovered by folder: each module without a leading `_` defines one `RULE`.

- `lint/rules`: checked for every instruction set.
- `lint/rules/exposed_pipeline`: checked for sets whose instructions declare when results land.
- `lint/rules/control_run`: checked for sets that state what instructions compute, compare and
  address, so that a program's control flow and addresses are known without data.
- `lint/rules/built_in`: reported while a text is parsed into a program, or after all checks; such a
  module has documentation and examples, but no check.
- `targets/NAME/rules`: checked for that instruction set, or for all sets of that family.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib import import_module
from typing import Iterable, Iterator

from ipu_asm.isa import target_folders
from ipu_asm.isa.model import Isa
from ipu_asm.lint.rule import Rule


@lru_cache(maxsize=8)
def rules_for(isa: Isa) -> tuple[Rule, ...]:
    """The rules with a check that apply to an instruction set."""
    rules = _rules_in(__name__, __path__)
    if isa.has_exposed_pipeline:
        rules += _shared_rules("exposed_pipeline")
    if isa.spaces:
        rules += _shared_rules("control_run")
    for owner in filter(None, (isa.family, isa.name)):
        rules += _isa_rules(owner)
    return tuple(rules)


def all_rules() -> tuple[Rule, ...]:
    """Every rule: errors first, then by code."""
    return _all_rules(target_folders())


@lru_cache(maxsize=2)
def _all_rules(folders_of_sets: tuple[str, ...]) -> tuple[Rule, ...]:
    rules = _rules_in(__name__, __path__)
    for folder in ("built_in", "control_run", "exposed_pipeline"):
        rules += _shared_rules(folder)
    for owner in sorted({name for folder in folders_of_sets for name in os.listdir(folder)}):
        rules += _isa_rules(owner)
    return tuple(sorted(rules, key=lambda rule: (rule.id.severity, rule.id.code)))


def _shared_rules(folder: str) -> list[Rule]:
    return _rules_in(f"{__name__}.{folder}", _inside(__path__, folder))


def _isa_rules(owner: str) -> list[Rule]:
    """The rules of one instruction set, or of one family of sets."""
    return _rules_in(f"ipu_asm.targets.{owner}.rules", _inside(target_folders(), owner, "rules"))


def _rules_in(package: str, folders: Iterable[str]) -> list[Rule]:
    names = sorted({name for folder in folders for name in _modules_in(folder)})
    return [import_module(f"{package}.{name}").RULE for name in names]


def _modules_in(folder: str) -> Iterator[str]:
    if os.path.isdir(folder):
        for entry in os.listdir(folder):
            if entry.endswith(".py") and entry[0] != "_":
                yield entry.removesuffix(".py")


def _inside(folders: Iterable[str], *names: str) -> list[str]:
    return [os.path.join(folder, *names) for folder in folders]
