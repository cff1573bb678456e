# jump_table: the host chooses one of several entries
{% set entries = ["copy", "negate", "double", "clear"] %}
    set lr0 2;;
    add lr1 lr0 cr0;;
    br lr1;;
    bkpt;;
{% for entry in entries %}
{{ entry }}:
    ldr_mult_reg r0 lr2 cr1;;
    mult.ee r0 lr3 lr3 lr3; {{ "reset_acc" if entry == "clear" else "acc.first" }};;
{% if entry == "double" %}
    acc;;
{% endif %}
    str_acc_reg lr2 cr2;;
    b finish;;
{% endfor %}
finish:
    bkpt;;
