"""A name or macro of a template that nothing uses.

## What it does
Reports a `{% set %}` or a `{% macro %}` whose name is not used anywhere in the file. A name that
begins with `_` is never reported.

## Why
The name may be left over from an earlier state, or the code has its value written out, so that
changing it in one place does not change it in the other.

## Example
```
{% set sum = "lr5" %}
incr lr5 1;;
bkpt;;
```

## Use instead
```
{% set sum = "lr5" %}
incr {{ sum }} 1;;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.lint.rule import Rule
from ipu_asm.source.templates import UNUSED_TEMPLATE_NAME

RULE = Rule(
    id=UNUSED_TEMPLATE_NAME,
    documentation=__doc__ or "",
    valid=(
        '{% set _spare = "lr5" %}\nbkpt;;',
        '{% set k = "lr5" %}{% if false %}incr {{ k }} 1;;{% endif %}\nbkpt;;',
        '{% set k = "lr5" %}{% set m = k %}incr {{ m }} 1;;\nbkpt;;',
    ),
    invalid=(
        '{% set ⟦k⟧ = "lr5" %}\nbkpt;;',
        "{% macro ⟦twice⟧(reg) %}incr {{ reg }} 2;;{% endmacro %}\nbkpt;;",
    ),
)
