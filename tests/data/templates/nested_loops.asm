# nested_loops: a 3 x 3 window, its taps written out
{% set width = 128 %}
    set lr0 0; set lr1 0;;
{% for y in range(3) %}
{% for x in range(3) %}
tap_{{ y }}_{{ x }}:
    set lr2 {{ y * width + x }};;
    ldr_mult_reg r0 lr2 cr0;;
    mult.ve r0 lr1 lr0 lr0 lr0; {% if y + x == 0 %}acc.first{% else %}acc{% endif %}; incr lr1 1;;
    blt lr1 lr0 tap_{{ y }}_{{ x }};;
{% endfor %}
{% endfor %}
    str_acc_reg lr0 cr2;;
    bkpt;;
