# isa: ipu2
# CR cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 64, cr6 = 128, cr7 = 3
# A 3 x 3 filter over 64 rows of 128 pixels; the taps are written out
{% set row = "lr0" %}
{% set tap = "lr1" %}
{% set zero = "lr2" %}
{% set left = "lr3" %}
{% set pixel = "lr4" %}
{% set load = "lr5" %}
{% set second = "lr6" %}
{% set third = "lr7" %}
    SET {{ row }} cr0; SET {{ zero }} cr0; LDR_MULT_REG r0 {{ zero }} cr3; SET {{ second }} cr6;;
    SET {{ left }} cr5; SET {{ load }} cr0; ADD {{ third }} {{ second }} cr6;;
image:
    LDR_CYCLIC_MULT_REG {{ load }} cr2 {{ zero }};;
    INC {{ load }} 1;;
    LDR_CYCLIC_MULT_REG {{ load }} cr2 {{ second }};;
    INC {{ load }} 1;;
    LDR_CYCLIC_MULT_REG {{ load }} cr2 {{ third }};;
    DEC {{ load }} 1; SET {{ tap }} cr0; SET {{ pixel }} cr0;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 126;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 126;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ tap }} 1; INC {{ pixel }} 1;;
    MULT.RC.VE {{ pixel }} {{ tap }} 0 {{ zero }} cr15; ACC.ADD;;
    ACTIVATE.QUANTIZE relu cr15; STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ row }} 1; DEC {{ left }} 1;;
    BNZ {{ left }} image;;
    BKPT;;
