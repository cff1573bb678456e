# generated_600: a kernel of 600 bundles from a few lines
{% set zero = "lr0" %}
{% set offset = "lr1" %} {# of the row #}
    set {{ zero }} 0; set {{ offset }} 0;;
    reset_acc;;
{% for row in range(99) %}
{% set reg = "r" ~ row % 2 %}
    # row {{ row }}
    ldr_mult_reg {{ reg }} {{ offset }} cr0;;
    ldr_cyclic_mult_reg {{ offset }} cr1 {{ zero }};;
    mult.ee {{ reg }} {{ zero }} {{ zero }} {{ zero }}; acc;;
    incr {{ offset }} 128;;
    agg sum value cr0 aaq{{ row % 4 }};;
    incr lr3 {{ row }};;
{% endfor %}
    str_acc_reg {{ zero }} cr2;;
    bkpt;;
