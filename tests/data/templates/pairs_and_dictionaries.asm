# pairs_and_dictionaries: tables that give registers and values
{% set start = {"lr0": 0, "lr1": 128, "lr2": 256, "lr3": 384} %}
{% for reg, value in start.items() %}
    set {{ reg }} {{ value }};;
{% endfor %}
{% for reg, (base, step) in [("lr1", ("cr0", 128)), ("lr2", ("cr1", 256))] %}
    ldr_mult_reg r0 {{ reg }} {{ base }};
    incr {{ reg }} {{ step }};;
    mult.ee r0 lr0 lr0 lr0; acc;;
{% endfor %}
{% set bases = ["cr2", "cr3"] %}
{% for base in bases | reverse %}
    str_acc_reg lr3 {{ base }}; incr lr3 512;;
{% endfor %}
    bkpt;;
