"""A template has a syntax error or fails while it is rendered.

## What it does
Reports the line of a template that Jinja cannot read, and the tag at which rendering fails.

## Why
A file that contains `{{`, `{%` or `{#` is rendered before it is assembled. A template that cannot
be rendered has no instructions.

## Example
```
{% for row in range(4) %}
incr lr0 1;;
bkpt;;
```

## Use instead
```
{% for row in range(4) %}
incr lr0 1;;
{% endfor %}
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics.errors import TEMPLATE_SYNTAX
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=TEMPLATE_SYNTAX,
    documentation=__doc__ or "",
    valid=('{% set k = "lr5" %}incr {{ k }} 1;;\nbkpt;;',),
    invalid=("⟦{% for row %}⟧\nincr lr0 1;;\n{% endfor %}\nbkpt;;",),
)
