# captured_text: text that is kept in a name, measured and used twice
{% set prologue %}
    set lr0 0; set lr1 128;;
    reset_acc;;
{% endset %}
{% set body | trim %}

    mult.ee r0 lr0 lr0 lr0; acc;;

{% endset %}
{{ prologue }}
again:
{{ body }}
    incr lr1 -{{ 16 if body | length > 10 else 1 }}; bnz lr1 lr0 again;;
{{ body }}
{% filter indent(4, first=true) %}
str_acc_reg lr0 cr0;;
bkpt;;
{% endfilter %}
