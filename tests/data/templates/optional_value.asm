# optional_value: a value from outside that may be missing
{% if elements_in_row is defined %}
{% set row = elements_in_row %}
{% else %}
{% set row = 128 %}
{% endif %}
    set lr0 0; set lr1 {{ row }};;
    set lr2 {{ count | default(4) }};;
loop:
    ldr_cyclic_mult_reg lr0 cr0 lr3;
    mult.ee r0 lr3 lr3 lr3; acc;
    incr lr0 1; bne lr0 lr2 loop;;
    str_acc_reg lr1 cr1;;
    bkpt;;
