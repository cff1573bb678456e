{#- trimmed_sets: the tags leave no blank lines behind -#}
{%- set zero = "lr0" -%}
{%- set step = 128 -%}
{%- set offset = "lr1" -%} {# of the row #}
{%- set last = "lr2" -%}   {# of the last row #}
# sums all rows of a tensor
start:
    set         {{ zero }} 0; set {{ offset }} -{{ step }};;
    set         {{ last }} {{ 7 * step }};
    reset_acc;;
{# the loop is one bundle long -#}
{%- raw %}
# {{ what is in here }} is no template
{% endraw -%}
row:
    ldr_cyclic_mult_reg {{ offset }} cr0 {{ zero }};
    incr        {{ offset }} {{ step }};
    mult.ee     r0 {{ zero }} {{ zero }} {{ zero }};
    acc;
    bne         {{ offset }} {{ last }} row;;
{%- if step == 128 %}
    str_acc_reg {{ zero }} cr1;;
{%- else %}
    str_acc_reg {{ zero }} cr2;;
{%- endif %}
    bkpt;;
