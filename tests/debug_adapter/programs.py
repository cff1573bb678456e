"""Programs that sessions debug, and what their lines are."""

from __future__ import annotations

from typing import Final

LOOP = """\
# counts lr1 up to eight, and all of that lr3 times
set lr2 8; set lr3 4;;

outer:
    set lr1 0; incr lr4 1;;
inner:  # the short one
    incr lr1 1;;
    incr lr5 2;
    blt lr1 lr2 inner;;
    blt lr4 lr3 outer;;
bkpt;;
"""
"""Bundle 0 is on line 2, 1 (`outer`) on 5, 2 (`inner`) on 7, 3 on 8 and 9, 4 on 10, 5 on 11."""

CYCLES = 1 + 4 * (1 + 8 * 2 + 1) + 1
"""How many bundles `LOOP` executes."""

ENDLESS = "forever:\n    incr lr1 1;;\n    b forever;;\n"

FAULTY = """\
set lr1 7;;
incr lr1 1;;
ldr_mult_reg r0 lr1 cr0;;
bkpt;;
"""
"""With `cr0` at the end of xmem, bundle 2 on line 3 faults."""

AT_END = {"cr": {"0": "0x1fffff"}}

LAYOUT = """\
set lr1 1;; set lr2 2;; set lr3 3; set lr4 4;;

# a comment
start:
    incr lr1 1;
    # in the midst
    incr lr2 1;;
// größer 😀 ∑
b +1;; bkpt;;  # 😀 set lr9 9;;
# the end
"""
"""Bundles 0 to 2 are on line 1, 3 on 5 to 7, 4 and 5 on line 9."""

TEMPLATE = """\
{# ipu: context rows=3 #}
{% set k_index = "lr5" %} {# index of the row #}
{% macro save(reg) %}
    str_acc_reg {{ reg }} cr0;;
{% endmacro %}
{% macro unused() %}
    acc;;
{% endmacro %}
set {{ k_index }} 0;;
{% for row in range(rows) %}
    incr {{ k_index }} 1;;
{% if row == 9 %}
    incr lr6 7;;
{% endif %}
{{ save(k_index) }}
{% endfor %}
bkpt;;
"""
"""Bundle 0 is on line 9; 1, 3 and 5 on line 11, 2, 4 and 6 on line 4, called on 15; 7 on 17."""

ROWS: Final[dict[str, dict[str, int]]] = {"define": {"rows": 3}}
"""What `TEMPLATE` is launched with."""
