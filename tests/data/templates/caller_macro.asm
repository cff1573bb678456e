# caller_macro: a macro around a body that the call gives
{% macro around(counter, times) %}
    set {{ counter }} 0; set lr9 {{ times }};;
loop_{{ counter }}:
{{ caller(counter) }}
    incr {{ counter }} 1; bne {{ counter }} lr9 loop_{{ counter }};;
{% endmacro %}
    set lr0 0; reset_acc;;
{% call(index) around("lr4", 3) %}
    ldr_mult_reg r0 {{ index }} cr0;;
    mult.ee r0 lr0 lr0 lr0; acc;;
{% endcall %}
{% call(index) around("lr5", 2) %}
    ldr_mult_reg r1 {{ index }} cr0;;
    mult.ee r1 lr0 lr0 lr0; acc;;
{% endcall %}
    str_acc_reg lr0 cr1;;
    bkpt;;
