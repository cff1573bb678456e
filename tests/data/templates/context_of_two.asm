{# ipu: context cpr=3 rows=8 #}
{# ipu: context cpr=4, rows=16 #}
{# ipu: context cpr=5 rows=32 mode="fast" taps=[1, 2, 3] #}
# context_of_two: chunks of a row and rows; a mode and taps where they are given
{% set chunk = 128 %} {# bytes #}
{% set mode = mode | default("plain") %}
{% set taps = taps | default([1]) %}
    set lr0 0; set lr1 0;;
    set lr2 {{ rows }}; reset_acc;;
row:
{% for part in range(cpr) %}
    ldr_mult_reg r0 lr1 cr0; incr lr1 {{ chunk }};;
    mult.ee r0 lr0 lr0 lr0; acc{% if mode == "fast" and part == 0 %}; aaq{% endif %};;
{% endfor %}
{% for tap in taps %}
    incr lr3 {{ tap }};;
{% endfor %}
    incr lr4 1; bne lr4 lr2 row;;
    str_acc_reg lr0 cr1;;
    bkpt;;
