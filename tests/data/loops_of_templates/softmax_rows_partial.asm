# isa: ipu2
# CR wide = fp32, cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 8, cr6 = 0xc00, cr7 = 40
# Rows of 40 elements; cr7 says how many count
{% set row = "lr0" %}
{% set zero = "lr1" %}
    SET {{ row }} cr0; SET {{ zero }} cr0;;
maximum:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr7; AGG.MAX.FIRST {{ row }} cr7;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 maximum;;
    B known;;
known:
    ACTIVATE.QUANTIZE identity cr15;;
    STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3; SET {{ row }} cr0;;
powers:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr7; ACC.ADD.FIRST;;
    MULT.EE {{ row }} cr1 0 {{ zero }} cr7; ACC.SUB;;
    ACTIVATE.QUANTIZE exp2 cr7; STR_POST_AAQ_REG {{ row }} cr4;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 powers;;
    SET {{ row }} cr0;;
sums:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr7; AGG.SUM.FIRST {{ row }} cr7;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 sums;;
    ACTIVATE.QUANTIZE reciprocal cr15; STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3; SET {{ row }} cr0;;
scale:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VE {{ zero }} {{ row }} 0 {{ zero }} cr7; ACC.ADD.FIRST;;
    ACTIVATE.QUANTIZE identity cr7; STR_POST_AAQ_REG {{ row }} cr6;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 scale;;
    BKPT;;
