# macro_with_labels: a loop from a macro, its label from an argument
{% macro counted(name, counter, bound, body="acc") %}
{{ name }}:
    incr {{ counter }} 1;
    mult.ee r0 lr0 lr0 lr0; {{ body }};
    bne {{ counter }} {{ bound }} {{ name }};;
{% endmacro %}
    set lr0 0; set lr1 0;;
    set lr2 16; set lr3 0;;
    reset_acc;;
{{ counted("warm_up", "lr1", "lr2") }}
{{ counted("main_loop", "lr3", "lr2") }}
    str_acc_reg lr0 cr1;;
    bkpt;;
