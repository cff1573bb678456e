# isa: ipu2
# CR cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 6
# The sum of two images, row by row
{% set row = "lr0" %}
{% set zero = "lr1" %}
{% set out = "lr2" %}
    SET {{ row }} cr0; SET {{ zero }} cr0; SET {{ out }} cr0;;
rows:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    LDR_CYCLIC_MULT_REG {{ row }} cr3 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ out }} cr4;;
    INC {{ row }} 1; INC {{ out }} 1;;
    BNE {{ row }} cr5 rows;;
    BKPT;;
