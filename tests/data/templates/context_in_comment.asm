# context_in_comment: the host says how many columns there are
{# ipu: context cols=4 #}
{# ipu: context cols=8 #}
    set lr0 0; set lr1 {{ cols }};;
loop:
    ldr_mult_reg r0 lr0 cr0;;
    mult.ee r0 lr2 lr2 lr2; acc;
    incr lr0 1; bne lr0 lr1 loop;;
{% for col in range(cols) %}
    incr lr3 {{ col }};;
{% endfor %}
    str_acc_reg lr3 cr1;;
    bkpt;;
