# isa: ipu2
# CR wide = fp32, cr2 = 0, cr3 = 0x400, cr4 = 0x800, cr5 = 128, cr6 = 0xc00
# Each of 128 rows by itself: its largest element, the powers of two of the differences, their sum
{% set row = "lr0" %}
{% set zero = "lr1" %}
{% set out = "lr2" %}
{% set count = "lr3" %}
    SET {{ row }} cr0; SET {{ zero }} cr0; SET {{ count }} cr0;;
pass1:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; AGG.MAX.FIRST {{ row }} cr15;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 pass1;;
    ACTIVATE.QUANTIZE identity cr15;;
    STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3;;
    SET {{ row }} cr0; SET {{ out }} cr0;;
pass2:
    LDR_CYCLIC_MULT_REG {{ row }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    MULT.EE {{ row }} cr1 0 {{ zero }} cr15; ACC.SUB;;
    ACTIVATE.QUANTIZE exp2 cr15; STR_POST_AAQ_REG {{ out }} cr4;;
    INC {{ out }} 1;;
    INC {{ row }} 1; INC {{ count }} 1;;
    BNE {{ count }} cr5 pass2;;
    SET {{ row }} cr0;;
pass3:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; AGG.SUM.FIRST {{ row }} cr15;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 pass3;;
    ACTIVATE.QUANTIZE reciprocal cr15;;
    STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3;;
    SET {{ row }} cr0;;
pass4:
    LDR_CYCLIC_MULT_REG {{ row }} cr4 {{ zero }};;
    MULT.RC.VE {{ zero }} {{ row }} 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    ACTIVATE.QUANTIZE identity cr15; STR_POST_AAQ_REG {{ row }} cr6;;
    INC {{ row }} 1;;
    BNE {{ row }} cr5 pass4;;
    BKPT;;
