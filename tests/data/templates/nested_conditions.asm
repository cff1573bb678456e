# nested_conditions: the tail is only written where it is needed
{% set n = 300 %}{# elements #}
{% set lanes = 128 %}
{% set full = n // lanes %}
{% set tail = n % lanes %}
    set lr0 0; set lr1 {{ full }};;
{% for block in range(full) %}
    ldr_mult_reg r0 lr0 cr0;;
    mult.ee r0 lr14 lr14 lr14; {% if loop.first %}acc.first{% else %}acc{% endif %};;
    incr lr0 {{ lanes }};;
{% endfor %}
{% if tail %}
    # {{ tail }} elements are left
    set lr2 {{ full * lanes }};
    ldr_mult_mask_reg lr13 cr3;;
  {% if full %}
    ldr_mult_reg r0 lr2 cr0;;
    mult.ee r0 lr14 lr12 lr14; acc;;
  {% else %}
    ldr_mult_reg r0 lr2 cr0;;
    mult.ee r0 lr14 lr12 lr14; acc.first;;
  {% endif %}
{% endif %}
    str_acc_reg lr13 cr1;;
    bkpt;;
