# conditions: one kernel for three element types
{% set wide = true %}
{% set rows = 6 %}
{% set stride = 512 if wide else 128 %}
    set lr0 0;
    set lr1 -{{ stride }};;
    set lr2 {{ (rows - 1) * stride }};;
row:
    incr lr1 {{ stride }};
{% if wide %}
    ldr_mult_reg r0 lr1 cr0;;
    mult.ee r0 lr0 lr0 lr0; acc.first;;
{% elif rows > 4 %}
    ldr_mult_reg r1 lr1 cr0;;
    mult.ee r1 lr0 lr0 lr0; acc.first;;
{% else %}
    acc.first;;
{% endif %}
    str_acc_reg lr1 cr1; bne lr1 lr2 row;;
{% if rows is divisibleby 2 and not (rows == 4) %}
    aaq;;
{% endif %}
    bkpt;;
