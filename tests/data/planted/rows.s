# rows.s: each of 8 rows times one weight, summed up in pairs
#
#   lr0 = 0: cyclic index, mask 0
#   lr2 = 896: offset of the last row
#   lr5 = 512, the size of a result
#   lr9 = 127.
#   cr0 weights, cr1 rows, cr2 results

    set lr0 0; set lr1 -128;;
    set lr2 896; set lr4 -512;;
    set lr5 512; set lr6 -1;;
    set lr9 127; ldr_mult_reg r0 lr0 cr0;;
    ldr_mult_reg r1 lr5 cr0;;

row:
    incr lr1 128; incr lr6 1;
    ldr_cyclic_mult_reg lr1 cr1 lr0;
    mult.ve r0 lr0 lr0 lr0 lr6;
    acc.first;;
    mult.ve r1 lr0 lr0 lr0 lr9;
    acc;;
    add lr4 lr4 lr5;
    str_acc_reg lr4 cr2;
    bne lr1 lr2 row;;

    bkpt;;
