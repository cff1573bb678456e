# isa: ipu2
# CR wide = fp32, cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 128, cr6 = 0xc00
# Each of 128 columns by itself, side by side in the accumulator
{% set row = "lr0" %}
{% set zero = "lr1" %}
{% set out = "lr2" %}
    SET {{ row }} cr0; SET {{ zero }} cr0; LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.MAX.FIRST;;
largest:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.MAX;;
    INC {{ row }} 1;;
    BLT {{ row }} cr5 largest;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3;;
    SET {{ row }} cr0; SET {{ out }} cr0;;
powers:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    MULT.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.SUB;;
    ACTIVATE.QUANTIZE exp2 cr15;;
    STR_POST_AAQ_REG {{ out }} cr4;;
    INC {{ row }} 1; INC {{ out }} 1;;
    BLT {{ row }} cr5 powers;;
    SET {{ row }} cr0; LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    INC {{ row }} 1; MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
total:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD;;
    INC {{ row }} 1;;
    BLT {{ row }} cr5 total;;
    ACTIVATE.QUANTIZE reciprocal cr15; STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3;;
    SET {{ row }} cr0;;
scale:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VV {{ zero }} r0 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ row }} cr6;;
    INC {{ row }} 1;;
    BLT {{ row }} cr5 scale;;
    BKPT;;
