# unrolled.asm: taps of a filter, unrolled by a template
#
# {# ipu: context taps=3 #}
#   lr9 = 1024: end of the rows
{% set taps = 3 %}
{% set zero = "lr0" %}

{% macro tap(number, register) %}
    incr lr1 128;
    ldr_cyclic_mult_reg lr1 cr0 {{ zero }};
    mult.ve {{ register }} {{ zero }} {{ zero }} {{ zero }} lr{{ 10 + number }};
    acc{{ ".first" if number == 0 else "" }};;
{% endmacro %}
    set {{ zero }} 0; set lr1 -128;;
    set lr9 1024; set lr2 -512;;
{% for number in range(taps) %}
    set lr{{ 10 + number }} {{ 5 * number }};;
{% endfor %}
    ldr_mult_reg r0 {{ zero }} cr1;;
    set lr3 128;;
    ldr_mult_reg r1 lr3 cr1;;
    set lr4 0; set lr5 7;;

row:
{% for number in range(taps) %}
{{ tap(number, "r1" if number == 1 else "r0") }}
{% endfor %}
    incr lr1 -256; incr lr2 512;
    str_acc_reg lr2 cr2;;
    incr lr4 1;
    bne lr4 lr5 row;;
    bkpt;;
