# row_filter.asm: filter the columns of an image: each row of sums weighs `taps` rows of the input
#
#   out[r][i] = sum over t = 0 .. taps - 1 of w[t] * in[r + t][i]     r = 0 .. R - 1, i = 0 .. 127
#
# in all three element types. A template: `taps`, from 2 to 9, is given when it is assembled.
#
#   ipu-as assemble --define taps=5 row_filter.asm
#
# {# ipu: context taps=3 #}
# {# ipu: context taps=5 #}
#
# Registers
{% set zero = "lr0" %}      {# 0: cyclic index, mask 0, mask shift #}
{% set source = "lr1" %}    {# offset of the row in in, 128 bytes a row #}
{% set target = "lr2" %}    {# offset of the row in out, 512 bytes a row #}
{% set last = "lr3" %}      {# offset of the last row in out #}
{% set in_base = "cr0" %}   {# IN_BASE (in, R + taps - 1 rows) #}
{% set out_base = "cr1" %}  {# OUT_BASE (out, R rows) #}
{% set size = "cr2" %}      {# SIZE (R * 512) #}
{% set weights = 3 %}       {# cr3 and on: w[0], w[1], ..., in the low byte #}
#   cr15 = element type
#
# Memory (for R up to 1,000)
#   0x000000  (R + taps - 1) * 128 bytes   in
#   0x040000  R * 512 bytes                out
#
# The host loads in and sets the crs. r_mask is zero: no mask.
# Time: taps + 2 bundles a row.

# One bundle for each tap: step to the next row, load it, and add it with its weight.
{% macro tap(t, step) %}
    incr                  {{ source }} {{ step }};
    ldr_cyclic_mult_reg   {{ source }} {{ in_base }} {{ zero }};
    mult.ve.cr            {{ zero }} {{ zero }} {{ zero }} cr{{ weights + t }};
    acc{{ ".first" if t == 0 else "" }};;
{% endmacro %}
    set                   {{ zero }} 0;
    set                   {{ source }} {{ 128 * (taps - 2) }};;  # the loop steps back first
    set                   {{ target }} -512;;
    add                   {{ last }} {{ size }} {{ target }};;  # SIZE - 512

row:
{{ tap(0, 128 * (2 - taps)) }}
{% for t in range(1, taps) %}
{{ tap(t, 128) }}
{% endfor %}
    incr                  {{ target }} 512;
    str_acc_reg           {{ target }} {{ out_base }};;
    bne                   {{ target }} {{ last }} row;;

    bkpt;;
