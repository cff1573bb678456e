# namespaces: a counter that lives through loops
{% set state = namespace(address=0, used=[]) %}
    set lr0 0; reset_acc;;
{% for size in [128, 256, 128, 512] %}
    set lr1 {{ state.address }};;
    ldr_mult_reg r0 lr1 cr0;;
    mult.ee r0 lr0 lr0 lr0; acc;;
{% set state.address = state.address + size %}
{% set state.used = state.used + [size] %}
{% endfor %}
    # {{ state.used | length }} blocks, {{ state.used | sum }} bytes, at most {{ state.used | max }}
    set lr2 {{ state.address }};;
    str_acc_reg lr2 cr1;;
    bkpt;;
