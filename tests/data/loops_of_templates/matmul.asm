# isa: ipu2
# CR cr2 = 0, cr3 = 0x100, cr4 = 0x800, cr5 = 128, cr7 = 4
# c[m] = sum over k of a[m][k] * b[k]: 128 x 128 x 128, one row of c after the other
{% set m = "lr0" %}
{% set k = "lr1" %}
{% set zero = "lr2" %}
{% set row = "lr3" %}
{% set left = "lr4" %}
{% set weight = "lr5" %}
    SET {{ m }} cr0; SET {{ zero }} cr0; SET {{ row }} cr0;;
next_row:
    LDR_MULT_REG r0 {{ m }} cr2;;
    SET {{ k }} cr0; SET {{ left }} cr5; SET {{ weight }} cr0;;
    LDR_CYCLIC_MULT_REG {{ weight }} cr3 {{ zero }};;
    MULT.EE {{ zero }} cr0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
product:
    MULT.RC.VE {{ zero }} {{ k }} 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ k }} 1; DEC {{ left }} 1; INC {{ weight }} 1; LDR_CYCLIC_MULT_REG {{ weight }} cr3 {{ zero }};;
    BNZ {{ left }} product;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ m }} 1; ADD {{ row }} {{ row }} cr7;;
    BLT {{ m }} cr5 next_row;;
    BKPT;;
