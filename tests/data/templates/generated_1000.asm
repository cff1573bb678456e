# generated_1000: as many bundles as instruction memory nearly has
{% macro tap(y, x, is_first=false) %}
    set lr2 {{ y * 128 + x }};;
    ldr_mult_reg r{{ (y + x) % 2 }} lr2 cr0;;
    mult.ee r{{ (y + x) % 2 }} lr0 lr0 lr0; {{ "acc.first" if is_first else "acc" }};;
{% endmacro %}
    set lr0 0;;
{% for channel in range(37) %}
    # channel {{ channel }}
{% for y in range(3) %}
{% for x in range(3) %}
{{ tap(y, x, is_first=loop.first and y == 0 and channel == 0) }}
{% endfor %}
{% endfor %}
{% endfor %}
    str_acc_reg lr0 cr2;;
    bkpt;;
