# trimmed_loop: clears eight loop registers, two a bundle
{% for low in range(0, 8, 2) -%}
    set lr{{ low }} 0; set lr{{ low + 1 }} 0;;
{% endfor -%}
    set lr8 {{ 8 * 128 }};;
again:
    incr lr0 128; ldr_mult_reg r0 lr0 cr0;;
    mult.ee r0 lr1 lr2 lr3; acc; bne lr0 lr8 again;;
    str_acc_reg lr4 cr1;;
{#- the end -#}
    bkpt;;
