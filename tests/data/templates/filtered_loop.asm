# filtered_loop: only rows that the mask keeps, and what to do if there is none
{% set kept = [0, 2, 3, 6] %}
    set lr0 0; reset_acc;;
{% for row in range(8) if row in kept %}
    set lr1 {{ row * 128 }};; {# {{ loop.index }} of {{ loop.length }} #}
    ldr_mult_reg r{{ row % 2 }} lr1 cr0;;
    mult.ee r{{ row % 2 }} lr0 lr0 lr0; acc{% if loop.last %}; aaq{% endif %};;
{% else %}
    acc_nop;;
{% endfor %}
{% for row in [] %}
    bkpt;;
{% else %}
    str_acc_reg lr0 cr1;;
{% endfor %}
    bkpt;;
