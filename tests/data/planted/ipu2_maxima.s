# ipu2_maxima.s: the maximum of each of 8 scaled rows, beside their first words; then pooled
#
#   lr1 = 7: the last row
#   cr2 rows, cr3 scale, cr6 maxima, cr7 pooled rows
# CR cr4 = 7, cr8 = 0x03020100, cr9 = 0x07060504, cr10 = 3
# CR cr11 = 0x0480   # 128 elements in 4 parts

    LDR_MULT_REG r0 lr2 cr2;;
    SET lr4 cr8; SET lr5 cr9; SET lr6 cr8;;
    SET lr7 cr9;;
row:
    INC lr2 1;
    LDR_MULT_REG r0 lr2 cr2;
    MULT.VE lr0 cr3 0 lr0 cr11;
    AGG.MAX.FIRST lr1 cr15;;
    INC lr1 1;
    BLT lr1 cr4 row;;

    ADDBI lrd6 64;;
    ACC.RESHAPE lrd4 lrd6 2;;
    ACTIVATE.QUANTIZE identity cr15;
    STR_POST_AAQ_REG lr0 cr6;;

    LDR_CYCLIC_MULT_REG lr8 cr2 lr0;;
pool:
    INC lr8 1;
    LDR_CYCLIC_MULT_REG lr8 cr2 lr0;
    MULT.RC.VS lr0 0 lr0 cr15;
    ACC.STRIDE 32 on on lr9;;
    INC lr9 1;
    BLT lr9 cr10 pool;;
    ACTIVATE.QUANTIZE relu6 cr15;
    STR_POST_AAQ_REG lr0 cr7;;

    BKPT;;
