"""Output of `--explain`: the Markdown page of a rule or an instruction."""

from __future__ import annotations

from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint.rule import Rule
from ipu_asm.lint.rules import all_rules, near_codes, near_rules
from ipu_asm.reports.instruction_page import instruction_markdown

_MOST_SUGGESTIONS = 5
_SHORTEST_PART = 3


def explain(query: str, isa: Isa) -> str | None:
    """Return the page of a rule, by code or name, or of an instruction, by mnemonic; else None."""
    for rule in all_rules():
        if query.upper() == rule.id.code or query.lower() == rule.id.name:
            return rule_markdown(rule)
    spec = _instruction(query, isa)
    return instruction_markdown(isa, spec) if spec is not None else None


def suggestions(query: str, isa: Isa) -> list[str]:
    """Return near matches for an unknown `query`: similar names, then names that contain it.

    Names that begin with it come before those that only contain it. Where there is none of either,
    names of rules with the same words are returned, and for a code those that begin alike.
    """
    rules = all_rules()
    codes, names = [rule.id.code for rule in rules], [rule.id.name for rule in rules]
    found = [Vocabulary(words).nearest(query) for words in (names, list(isa.instructions), codes)]
    near = [word for word in found if word is not None]
    if len(query) >= _SHORTEST_PART:
        part = query.lower()
        inside = [word for word in (*names, *isa.instructions) if part in word.lower()]
        near += sorted(inside, key=lambda word: not word.lower().startswith(part))
    return list(dict.fromkeys(near or near_rules(query) or near_codes(query)))[:_MOST_SUGGESTIONS]


def rule_markdown(rule: Rule) -> str:
    """Return the page of one rule, without a final line break."""
    summary, _, rest = rule.documentation.strip().partition("\n")
    code, name, severity = rule.id
    fixes = " or ".join(applicability.label for applicability in rule.fixes)
    fix = f"{fixes} fix" if fixes else "no fix"
    facts = f"`{code}` · {severity.label} · {fix}"
    return f"# {name}\n\n{facts}\n\n{summary}\n\n{rest.strip()}"


def _instruction(query: str, isa: Isa) -> InstructionSpec | None:
    spec = isa.spec(query)
    if spec is not None:
        return spec
    same = (spec for name, spec in isa.instructions.items() if name.lower() == query.lower())
    return next(same, None)
