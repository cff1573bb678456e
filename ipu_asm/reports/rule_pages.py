"""The pages in `docs/rules`, written by ``python -m ipu_asm.reports.rule_pages``."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.lint.rule import pages_folder
from ipu_asm.lint.rules import all_rules
from ipu_asm.reports.explanation import rule_markdown

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


if __name__ == "__main__":
    write_pages()
