# multiply_rows: the product of two tensors, element by element
#
# in   : cr0, one row of 128 bytes a step
# other: cr1, the same layout
# out  : cr2, 512 bytes a row
# ----------------------------------------------------------------------------
{# ---- registers ---- #}
{% set zero       = "lr0" %} {# cyclic index, mask 0, mask shift #}
{% set in_offset  = "lr1" %} {# offset of the row in both inputs #}
{% set out_offset = "lr2" %} {# offset of the row in the output #}
{% set last       = "lr3" %} {# offset of the last row #}
{% set in_base    = "cr0" %}
{% set other_base = "cr1" %}
{% set out_base   = "cr2" %}

setup:
    set                   {{ zero }} 0;
    set                   {{ in_offset }} -128;;
    set                   {{ out_offset }} -512;
    set                   {{ last }} 384;;

# One access to memory a bundle: two loads and a store take three.
row:
    incr                  {{ in_offset }} 128;
    ldr_mult_reg          r0 {{ in_offset }} {{ in_base }};;

    incr                  {{ out_offset }} 512;
    ldr_cyclic_mult_reg   {{ in_offset }} {{ other_base }} {{ zero }};
    mult.ee               r0 {{ zero }} {{ zero }} {{ zero }};
    acc.first;;

    str_acc_reg           {{ out_offset }} {{ out_base }};
    bne                   {{ in_offset }} {{ last }} row;;

end:
    bkpt;;
