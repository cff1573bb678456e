# ipu2_layer.s: a layer of 128 inputs and 128 outputs, for 4 samples
#
#   lr3 = 0: mask shift
#   cr2 samples, cr3 rows of weights, cr6 results
# CR cr4 = 126, cr5 = 3   # counters are compared before their step

sample:
    SET lr1 cr0; SET lr2 cr0;
    LDR_MULT_REG r0 lr5 cr2;;
    LDR_CYCLIC_MULT_REG lr2 cr3 lr0;;
    INC lr2 1;
    LDR_CYCLIC_MULT_REG lr2 cr3 lr0;
    MULT.RC.VE lr0 lr1 0 lr3 cr15;
    ACC.ADD.FIRST;;
element:
    INC lr1 1; INC lr2 1;
    LDR_CYCLIC_MULT_REG lr2 cr3 lr0;
    MULT.RC.VE lr0 lr1 0 lr3 cr15;
    ACC.ADD;
    BLT lr1 cr4 element;;
    ACTIVATE.QUANTIZE relu cr15;
    STR_POST_AAQ_REG lr5 cr6;;
    INC lr5 1;
    BLT lr5 cr5 sample;;

    BKPT;;
