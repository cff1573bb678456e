# tags_inside_a_bundle: parts of bundles that depend on a setting
{% set with_mask = false %}{% set with_aaq = true %}
    set lr0 0; set lr1 {% if with_mask %}1{% else %}0{% endif %};;
    set lr3 1024;;
loop:
    incr lr0 {{ 128 }};
    {% if with_mask %}ldr_mult_mask_reg lr1 cr3{% else %}ldr_mult_reg r0 lr0 cr0{% endif %};
    mult.ee r0 lr1 {{ "lr2" if with_mask else "lr1" }} lr1;
    acc{% if with_aaq %}; aaq{% endif %};;
    b{{ "ne" if with_aaq else "eq" }} lr0 lr3 loop;;
    xmem{{ ".store_aaq_result" }} lr1 cr{{ 1 + 1 }};;
    bkpt;;
