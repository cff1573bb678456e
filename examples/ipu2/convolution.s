# convolution.s: a convolution of INT8 images with relu, one row of 128 pixels after the other
# isa: ipu2
#
#   out[y][x] = relu(sum over r = 0 .. 2, c = 0 .. columns - 1 of
#                    kernel[r][c] * image[y + r - 1][x + c - columns // 2]), at most 127
#
# for y = 0 .. H - 1, x = 0 .. 127; pixels outside of an image are zero. A row is of one image or of
# several side by side: the partition in cr15 says how many. A template: `columns` is 3, 5 or 7.
#
#   ipu-as assemble --define columns=5 convolution.s
#
# {# ipu: context columns=3 #}
#
# The cyclic register is a ring of four image rows, and a pixel's left neighbour is one element
# further down. Beyond the border of an image that element belongs to another one: there mask 0, all
# ones after reset, is shifted away from the border. A shift does not leave its part of a partition.
#
# Registers
{% set load = "lr0" %}      {# image row to load #}
{% set place = "lr1" %}     {# its place in r_cyclic #}
{% set pixel = "lr2" %}     {# element of r_cyclic that the tap multiplies for x = 0 #}
{% set tap = "lr3" %}       {# number of the tap, and its element in r0 #}
{% set row = "lr4" %}       {# y, row of the result #}
{% set shifts = 5 %}        {# lr5 and on: the shift of the mask for each column of the kernel #}
{% set image_row = "cr2" %} {# IMAGE_ROW (image with margins) #}
{% set kernel_row = "cr3" %} {# KERNEL_ROW (kernel, 3 * columns elements row by row) #}
{% set out_row = "cr4" %}   {# OUT_ROW (out; a store clears the three rows after its own) #}
{% set last = "cr5" %}      {# LAST (H - 1) #}
{% set quarter = "cr6" %}   {# 128, a quarter of r_cyclic #}
{% set layout = "cr15" %}   {# data structure: 128 elements, partition 0, 2, 4, 8 or 16 #}
{% set half = columns // 2 %}
#   r0   = the kernel
#
# Memory, in rows of 128 bytes (for H up to 500)
#   0x000  H + 3 rows   image: a row of zeros, rows 0 .. H - 1, a row of zeros, a row of anything
#   0x200  1 row        kernel
#   0x400  H + 3 rows   out
#
# The host loads image and kernel and sets cr2 to cr6 and cr15. Time: 3 * columns bundles a row.

# Step the tap and the pixel under it, and add the products.
{% macro multiply(c, first=False) %}
    MULT.RC.VE            {{ pixel }} {{ tap }} 0 lr{{ shifts + c }} {{ layout }};
    ACC.ADD{{ ".FIRST" if first else "" }}
{%- endmacro %}
    SET                   {{ load }} cr0;
    SET                   {{ place }} cr0;
    SET                   {{ row }} cr0;
    LDR_CYCLIC_MULT_REG   {{ load }} {{ image_row }} {{ place }};;
    INC                 {{ load }} 1;
    INCR_MOD_POW2       {{ place }} {{ quarter }} 9;
    SET                 {{ pixel }} cr0;
    LDR_CYCLIC_MULT_REG {{ load }} {{ image_row }} {{ place }};;
    INC                 {{ load }} 1;
    INCR_MOD_POW2       {{ place }} {{ quarter }} 9;
    INC                 {{ pixel }} {{ 127 + columns - half }};
    LDR_CYCLIC_MULT_REG {{ load }} {{ image_row }} {{ place }};;
    DEC                 {{ row }} 1;                # the loop steps first
    SET                 {{ tap }} cr0;
    LDR_MULT_REG        r0 {{ tap }} {{ kernel_row }};;
{% for c in range(columns) %}
    SET                 lr{{ shifts + c }} cr0;;
{% if c < half %}
    INC                 lr{{ shifts + c }} {{ half - c }};;
{% else %}
    DEC                 lr{{ shifts + c }} {{ c - half }};;
{% endif %}
{% endfor %}

row:
{% for r in range(3) %}
{% for c in range(columns) %}
{% if r == 0 and c == 0 %}
    DEC                 {{ pixel }} {{ 127 + columns }};  # two rows up, and to the left column
    SET                 {{ tap }} cr0;
    INC                 {{ row }} 1;
    {{ multiply(c, True) }};;
{% else %}
    INC                 {{ pixel }} {{ 129 - columns if c == 0 else 1 }};
    INC                 {{ tap }} 1;
{% if r == 0 and c == 1 %}
    INC                 {{ load }} 1;
{% elif r == 0 and c == 2 %}
    INCR_MOD_POW2       {{ place }} {{ quarter }} 9;
    LDR_CYCLIC_MULT_REG {{ load }} {{ image_row }} {{ place }};  # for the next row of out
{% elif r == 2 and c == columns - 1 %}
    ACTIVATE.QUANTIZE   relu {{ layout }};
    STR_POST_AAQ_REG    {{ row }} {{ out_row }};
    BLT                 {{ row }} {{ last }} row;
{% endif %}
    {{ multiply(c) }};;
{% endif %}
{% endfor %}
{% endfor %}

    BKPT;;
