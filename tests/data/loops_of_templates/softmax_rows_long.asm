# isa: ipu2
# CR wide = fp32, cr2 = 0, cr3 = 0x1000, cr4 = 0x1800, cr5 = 32, cr6 = 16, cr7 = 0x2000
# 16 rows of 32 * 128 elements: the loops over the pieces of a row test at the top
{% set r = "lr0" %}
{% set piece = "lr1" %}
{% set zero = "lr2" %}
{% set end = "lr3" %}
{% set first = "lr4" %}
{% set copy = "lr5" %}
    SET {{ r }} cr0; SET {{ zero }} cr0; SET {{ first }} cr0;;
    SET {{ copy }} cr0;;
rows:
    SET {{ piece }} cr0;;
    ADD {{ piece }} {{ first }} cr0; ADD {{ end }} {{ first }} cr5;;
    LDR_CYCLIC_MULT_REG {{ piece }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; AGG.MAX.FIRST {{ zero }} cr15;;
largest:
    BGE {{ piece }} {{ end }} found;;
    LDR_CYCLIC_MULT_REG {{ piece }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15;;
    AGG.MAX {{ zero }} cr15; INC {{ piece }} 1;;
    B largest;;
found:
    ACTIVATE.QUANTIZE identity cr15;;
    STR_POST_AAQ_REG {{ zero }} cr3;;
    LDR_MULT_REG r0 {{ zero }} cr3; ADD {{ piece }} {{ first }} cr0;;
powers:
    BGE {{ piece }} {{ end }} done;;
    LDR_CYCLIC_MULT_REG {{ piece }} cr2 {{ zero }};;
    MULT.RC.VE {{ zero }} cr1 0 {{ zero }} cr15; ACC.ADD.FIRST;;
    MULT.EE {{ zero }} cr1 0 {{ zero }} cr15; ACC.SUB;;
    ACTIVATE.QUANTIZE exp2 cr15; STR_POST_AAQ_REG {{ copy }} cr4;;
    INC {{ piece }} 1; INC {{ copy }} 1;;
    B powers;;
done:
    ADD {{ first }} {{ first }} cr5; INC {{ r }} 1;;
    BNE {{ r }} cr6 rows;;
    BKPT;;
