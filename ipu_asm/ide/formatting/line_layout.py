"""Formatting of one line, for instruction sets in which the end of a line ends a bundle."""

from __future__ import annotations

from ipu_asm.bundle.bundle import Bundle
from ipu_asm.ide.comments import comments_in
from ipu_asm.ide.formatting.bundle_layout import INDENT, Row, instruction_text, is_readable
from ipu_asm.isa.model import Isa


def lay_out_line(isa: Isa, bundle: Bundle) -> str:
    """Return the formatted line with its line break, if any; unchanged if it has a syntax error."""
    syntax = bundle.syntax
    last = syntax.tokens[-1] if syntax.tokens else None
    line_break = last.text if last is not None and last.kind == "END" else ""
    comment = next((syntax.text[a:b].rstrip() for a, b in comments_in(isa, syntax)), "")
    code = ""
    if syntax.plan.instructions or syntax.label is not None:
        if not is_readable(bundle):
            return syntax.text
        code = f"{syntax.label}:" if syntax.label is not None else ""
        if syntax.plan.instructions:
            written = instruction_text(isa, syntax, 0, align=True)
            code = f"{code.ljust(len(INDENT) - 1)} {written}"
    elif syntax.plan.findings or len(syntax.tokens) > bool(line_break):
        return syntax.text
    elif comment and syntax.text[:1] in (" ", "\t"):
        code = INDENT
    return Row(code, comment).text() + line_break
