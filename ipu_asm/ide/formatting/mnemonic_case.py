"""The case of mnemonics, in instruction sets that accept any.

A changed mnemonic is as long as before, so the layout of its bundle stays the same.
"""

from __future__ import annotations

from typing import Callable, Final, Mapping

from ipu_asm.config.configuration import MNEMONIC_CASES
from ipu_asm.ide.formatting.atoms import is_readable
from ipu_asm.ide.regions import bodies
from ipu_asm.isa.model import Isa
from ipu_asm.program.program import Program
from ipu_asm.syntax.bundle import BundleSyntax

KEEP_CASE, UPPER, LOWER = MNEMONIC_CASES

_CASES: Final[Mapping[str, Callable[[str], str]]] = {UPPER: str.upper, LOWER: str.lower}


def in_case(program: Program, number: int, text: str, case: str) -> str:
    """Return the formatted text of slice `number` with its mnemonics in a case.

    Code with syntax errors and bodies of macros stay as written.
    """
    bundle = program.bundles[number]
    is_kept = case == KEEP_CASE or not program.isa.surface.case_insensitive
    if is_kept or not is_readable(bundle) or number in bodies(program):
        return text
    syntax = BundleSyntax(bundle.syntax.grammar, text)
    pieces, end = list[str](), 0
    for entry, instruction in zip(syntax.plan.instructions, bundle.instructions):
        if instruction.spec is None:  # a macro, maybe
            continue
        start, stop = syntax.spans[entry.mnemonic]
        pieces += (text[end:start], mnemonic_in_case(program.isa, text[start:stop], case))
        end = stop
    return "".join((*pieces, text[end:]))


def mnemonic_in_case(isa: Isa, word: str, case: str) -> str:
    """Return a mnemonic in a case; unchanged if the set distinguishes cases or has no such one."""
    change = _CASES.get(case)
    if change is None or not isa.surface.case_insensitive or isa.spec(word) is None:
        return word
    return change(word)


def folded_words(isa: Isa, syntax: BundleSyntax) -> list[str]:
    """Return the words, with mnemonics in lower case where their case makes no difference."""
    words = list(syntax.words)
    if isa.surface.case_insensitive:
        for entry in syntax.plan.instructions:
            words[entry.mnemonic] = mnemonic_in_case(isa, words[entry.mnemonic], LOWER)
    return words
