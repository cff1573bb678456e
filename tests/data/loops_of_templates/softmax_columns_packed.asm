# isa: ipu2
# CR wide = fp32, cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 8, cr6 = 0xc00
# Columns of 8 rows, several of them in a row of memory
{% set row = "lr0" %}
{% set zero = "lr1" %}
    SET {{ row }} cr0; SET {{ zero }} cr0;;
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15;;
    ACC.MAX.FIRST;;
largest:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.MAX; INC {{ row }} 1;;
    BLT {{ row }} cr5 largest;;
    ACTIVATE.QUANTIZE identity cr15;;
    STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3;;
    SET {{ row }} cr0;;
powers:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    MULT.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.SUB;;
    ACTIVATE.QUANTIZE exp2 cr15; STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ row }} 1;;
    BLT {{ row }} cr5 powers;;
    BKPT;;
