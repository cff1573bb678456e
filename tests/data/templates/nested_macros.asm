# nested_macros: macros that call macros, three levels deep
{% macro mul(a, b) -%}
mult.ee {{ a }} {{ b }} {{ b }} {{ b }}
{%- endmacro %}
{% macro step(reg, index, verb="acc") %}
    {{ mul(reg, index) }}; {{ verb }};;
{% endmacro %}
{% macro pair(index) %}
    # registers r0 and r1 at {{ index }}
    {{ step("r0", index) }}
    {{ step("r1", index, verb="acc") }}
{% endmacro %}
    set lr0 0; set lr1 4;;
    reset_acc;;
{{ pair("lr0") }}
{{ pair("lr1") }}
{{ step("r0", "lr1") }}
    str_acc_reg lr0 cr0;;
    bkpt;;
