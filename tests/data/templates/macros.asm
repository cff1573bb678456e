# macros: two macros with defaults
{% set zero = "lr0" %}
{% macro load_row(reg, offset, step=128) %}
    incr {{ offset }} {{ step }};
    ldr_mult_reg {{ reg }} {{ offset }} cr0;;
{%- endmacro %}
{% macro multiply(reg, first=false) %}
    mult.ee {{ reg }} {{ zero }} {{ zero }} {{ zero }};
    {{ "acc.first" if first else "acc" }};;
{%- endmacro %}
    set {{ zero }} 0; set lr1 0;;
    set lr2 0; set lr3 0;;
{{ load_row("r0", "lr1", 128) }}
{{ multiply("r0", first=true) }}
{{ load_row("r1", "lr2", 256) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 384) }}
{{ multiply("r0") }}

    str_acc_reg {{ zero }} cr1;;
    bkpt;;
