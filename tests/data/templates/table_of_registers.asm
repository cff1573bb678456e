# table_of_registers: one loop over a table per phase
{% set phases = [("load", 3), ("mix", 5), ("store", 2)] %}
    set lr0 0; set lr15 4;;
{% for name, steps in phases %}
    set lr14 0;;
{{ name }}:
{% for step in range(steps) %}
    # {{ name }} {{ loop.index }}/{{ steps }}
{% if name == "load" %}
    ldr_mult_reg r{{ step % 2 }} lr{{ step }} cr{{ step }};;
{% elif name == "mix" %}
    mult.ee r{{ step % 2 }} lr0 lr0 lr0; acc;;
{% else %}
    str_acc_reg lr{{ step }} cr{{ step + 4 }};;
{% endif %}
{% endfor %}
    incr lr14 1; bne lr14 lr15 {{ name }};;
{% endfor %}
    bkpt;;
