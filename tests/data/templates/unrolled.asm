# unrolled: eight rows, written out by a loop
{% set rows = 8 %}
    set lr0 0; set lr1 0;;
{% for row in range(rows) %}
    # row {{ row }} of {{ rows }}
    ldr_mult_reg r0 lr1 cr0; incr lr1 128;;
    mult.ee r0 lr0 lr0 lr0; {{ "acc.first" if row == 0 else "acc" }};;
{% endfor %}
    str_acc_reg lr0 cr1;;
    bkpt;;
