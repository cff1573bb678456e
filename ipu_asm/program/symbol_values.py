"""Symbols with one constant value, and the operands and directives for which it is out of range.

A symbol that gets several values, or one under a condition, in a macro or from elsewhere, is
unknown.
"""

from __future__ import annotations

import re
from typing import Iterator, Mapping

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.bundle.parser import parser_for
from ipu_asm.diagnostics import Diagnostic, UnplacedFinding
from ipu_asm.diagnostics.errors import IMMEDIATE_OUT_OF_RANGE
from ipu_asm.isa.directives import ARGUMENTS, SYMBOL_DIRECTIVES
from ipu_asm.isa.gnu_expressions import evaluate
from ipu_asm.isa.model import Isa
from ipu_asm.isa.operands import quoted
from ipu_asm.program.program import Program, cached_on_program
from ipu_asm.syntax.directives import argument_findings
from ipu_asm.text import Span

_ASSIGNING = frozenset(SYMBOL_DIRECTIVES) - {".size"}
_NAME = re.compile(r"(?<![\w.$'\\])[A-Za-z_.$][\w.$]*")


@cached_on_program
def symbol_values(program: Program) -> Mapping[str, int]:
    """Return the symbols whose only value is a known constant."""
    values: dict[str, int | None] = {}
    for number in program.where(_assigns):
        for words in program.bundles[number].syntax.directives:
            if words[0].lower() in _ASSIGNING and words[2:3] == (",",):
                name, text = words[1], " ".join(words[3:])
            elif words[1:2] == ("=",):
                name, text = words[0], " ".join(words[2:])
            else:
                continue
            is_sure = program.macros.region_of(number) is None and name not in program.labels
            value = evaluate(text, values) if is_sure else None
            values[name] = value if values.get(name, value) == value else None
    return {name: value for name, value in values.items() if value is not None}


def _assigns(_isa: Isa, bundle: Bundle) -> bool:
    return bundle.directive is not None and any(
        words[0].lower() in _ASSIGNING or words[1:2] == ("=",) for words in bundle.syntax.directives
    )


def symbol_findings(program: Program) -> Iterator[Diagnostic]:
    """Yield the findings about operands and arguments whose symbols make them out of range."""
    if not program.where(_assigns):
        return
    values = symbol_values(program)
    for number in program.where(_may_name_symbols) if values else ():
        bundle = program.bundles[number]
        for instruction in range(len(bundle.instructions)):
            for finding in _of_instruction(program.isa, bundle, instruction, values):
                yield finding.shifted(program.starts[number])
        if bundle.directive is not None and _NAME.search(bundle.syntax.text):
            known = set(argument_findings(program.isa, bundle.syntax, {}))
            for finding in argument_findings(program.isa, bundle.syntax, values):
                if finding.rule is IMMEDIATE_OUT_OF_RANGE and finding not in known:
                    yield finding.shifted(program.starts[number])


def _may_name_symbols(isa: Isa, bundle: Bundle) -> bool:
    if bundle.directive is not None:
        return bundle.directive.lower() in ARGUMENTS
    if isa.surface.number_mark:
        return isa.surface.number_mark in bundle.syntax.text
    return any(not isinstance(value, int) for each in bundle.instructions for value in each.values)


def _of_instruction(
    isa: Isa, bundle: Bundle, number: int, values: Mapping[str, int]
) -> Iterator[Diagnostic]:
    """Yield what is wrong with an instruction that has the values of symbols in place of them."""
    written = bundle.instructions[number].words
    words = (written[0], *(_with_values(isa, word, values) for word in written[1:]))
    if words == written:
        return
    instruction = parser_for(isa).instruction(words)
    if all(finding.rule is IMMEDIATE_OUT_OF_RANGE for _, finding in instruction.findings):
        for place, finding in instruction.findings:
            if written[place + 1] != words[place + 1]:
                yield _placed(bundle, number, place, finding, words[place + 1])


def _with_values(isa: Isa, word: str, values: Mapping[str, int]) -> str:
    if word.lower() in isa.file_of_register:
        return word
    return _NAME.sub(
        lambda match: f"({values[match[0]]})" if match[0] in values else match[0], word
    )


def _placed(
    bundle: Bundle, number: int, place: int, finding: UnplacedFinding, read: str
) -> Diagnostic:
    """Place a finding about an operand that is `read` with values where its symbols are written."""
    written = bundle.instructions[number].words[place + 1]
    span: Span = bundle.syntax.operand_span(number, place)
    if finding.part is not None:
        # Symbols have no commas: the pieces of both texts are the same.
        start, stop = finding.part
        piece = read[:start].count(",")
        before = written[1:-1].split(",")[:piece]
        begin = 1 + sum(len(each) + 1 for each in before)
        read, written = read[start:stop], written[1:-1].split(",")[piece]
        span = bundle.syntax.part_span(number, place, begin, begin + len(written))
    message = finding.message.replace(quoted(read), quoted(written))
    return finding._replace(message=message, replacement=None).at(span)
