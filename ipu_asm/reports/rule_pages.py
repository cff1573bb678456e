"""The pages in `docs/rules`, written by ``python -m ipu_asm.reports.rule_pages``."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.diagnostics.suggestions import Vocabulary
from ipu_asm.isa.model import InstructionSpec, Isa
from ipu_asm.lint.rule import Rule, pages_folder
from ipu_asm.lint.rules import all_rules, near_codes, near_rules
from ipu_asm.reports.instruction_page import instruction_markdown

_MAX_SUGGESTIONS = 5
_SHORTEST_PART = 3
FOLDER = Path(pages_folder())
_INTRODUCTION = """\
# Rules

What `ipu-lint`, `ipu-as` and the language server report. A finding is selected, ignored and
suppressed by its code or its name; `ipu-lint --explain NAME` shows a page of this folder.
`--fix` applies safe fixes, `--fix --unsafe-fixes` the unsafe ones, too. A display fix is a
suggestion: it is shown and offered in editors, and no command applies it. A template (a file with
`{{`, `{%` or `{#`) is never edited, because what it says is only known when it has been expanded.

| Code | Name | Severity | Fix | What it reports |
|---|---|---|---|---|
"""


def pages() -> dict[str, str]:
    """Return the text of each page by file name."""
    rules = all_rules()
    rows = []
    for rule in rules:
        code, name, severity = rule.id
        fixes = [applicability.label for applicability in rule.fixes]
        link = f"[{name}]({name}.md)"
        rows.append(
            f"| {code} | {link} | {severity.label} | {', '.join(fixes)} | {rule.summary} |\n"
        )
    texts = {f"{rule.id.name}.md": rule_markdown(rule) + "\n" for rule in rules}
    return {"README.md": _INTRODUCTION + "".join(rows), **texts}


def write_pages(folder: Path = FOLDER) -> None:
    """Write all pages and remove those of rules that no longer exist."""
    texts = pages()
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.md"):
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


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
    return list(dict.fromkeys(near or near_rules(query) or near_codes(query)))[:_MAX_SUGGESTIONS]


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


if __name__ == "__main__":
    write_pages()
