// ipu2_filter.s: three taps down the columns of an image, rows in a ring
//   cr2 image, cr3 weights, cr6 results
// CR cr7 = 20

    LDR_MULT_REG r1 lr0 cr3;;
    LDR_CYCLIC_MULT_REG lr2 cr2 lr4;;
    INC lr2 1; INCR_MOD_POW2 lr4 cr15 9;
    LDR_CYCLIC_MULT_REG lr2 cr2 lr4;;
    INC lr2 1; INCR_MOD_POW2 lr4 cr15 9;
    LDR_CYCLIC_MULT_REG lr2 cr2 lr4;;
row:
    ADD lr7 lr5 cr0; ADD lr8 lr9 cr15;
    MULT.RC.VE lr5 lr8 0 lr0 cr15;
    ACC.ADD.FIRST;;
    INCR_MOD_POW2 lr7 cr15 9; INC lr8 1;
    MULT.RC.VE lr7 lr8 0 lr0 cr15;
    ACC.ADD;;
    INCR_MOD_POW2 lr7 cr15 9; INC lr8 1; INCR_MOD_POW2 lr5 cr15 9;
    MULT.RC.VE lr7 lr8 0 lr0 cr15;
    ACC.ADD;;
    INC lr2 1; INCR_MOD_POW2 lr4 cr15 9;
    LDR_CYCLIC_MULT_REG lr2 cr2 lr4;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr3 cr6;;
    INC lr3 1;
    BLT lr3 cr7 row;;

    BKPT;;
