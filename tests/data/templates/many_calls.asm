# many_calls: the same macros, called for forty rows
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
{{ load_row("r1", "lr1", 512) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 640) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 768) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 896) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 1024) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 1152) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 1280) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 1408) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 1536) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 1664) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 1792) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 1920) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 2048) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 2176) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 2304) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 2432) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 2560) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 2688) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 2816) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 2944) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 3072) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 3200) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 3328) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 3456) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 3584) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 3712) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 3840) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 3968) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 4096) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 4224) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 4352) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr2", 4480) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr3", 4608) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr1", 4736) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr2", 4864) }}
{{ multiply("r1") }}
{{ load_row("r0", "lr3", 4992) }}
{{ multiply("r0") }}
{{ load_row("r1", "lr1", 5120) }}
{{ multiply("r1") }}

    str_acc_reg {{ zero }} cr1;;
    bkpt;;
