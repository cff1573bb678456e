"""A template uses a name that nothing defines.

## What it does
Reports each use of a name that neither the template, nor its context, nor the command line defines.

## Why
Jinja renders such a name as nothing, so that an operand is missing, or stops. If the kernel gets
the value from the host, declare what it may be: in the file by `{# ipu: context cols=4 #}`, in
`ipu.toml` below `[template."kernels/*.asm"]`, or for one run by `--define cols=4`. The file is
checked in each context.

## Example
```
{% set rows = "lr5" %}
incr {{ row }} 1;;
bkpt;;
```

## Use instead
```
{% set rows = "lr5" %}
incr {{ rows }} 1;;
bkpt;;
```
"""

from __future__ import annotations

from ipu_asm.diagnostics import Applicability
from ipu_asm.diagnostics.errors import UNDEFINED_TEMPLATE_NAME
from ipu_asm.lint.rule import Rule

RULE = Rule(
    id=UNDEFINED_TEMPLATE_NAME,
    documentation=__doc__ or "",
    valid=(
        "{# ipu: context cols=4 #}\nset lr0 {{ cols }};;\nbkpt;;",
        "{# ipu: context cols=4 #}{# ipu: context cols=8 #}\nset lr0 {{ cols }};;\nbkpt;;",
        "set lr0 {{ cols | default(4) }};;\nbkpt;;",
        "{% if cols is defined %}set lr0 {{ cols }};;{% endif %}\nbkpt;;",
        "{% for row in range(3) %}incr lr0 {{ loop.index }};;\n{% endfor %}bkpt;;",
    ),
    invalid=(
        "set lr0 {{ ⟦cols⟧ }};;\nset lr1 {{ ⟦cols⟧ + 1 }};;\nbkpt;;",
        "{% if ⟦is_last⟧ %}incr lr0 1;;\n{% endif %}bkpt;;",
        "{% for row in range(⟦rows⟧) %}incr lr0 1;;\n{% endfor %}bkpt;;",
    ),
    fixes=(Applicability.DISPLAY,),
)
