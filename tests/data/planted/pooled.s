# pooled.s: every other element of every other row, four blocks in one accumulator
#
#   lr7 = 3: the last quarter
#   lr8 = 384.

    set lr0 0; set lr7 3;;
    set lr1 -128; set lr5 -1;;
    set lr4 0; set lr8 384;;
    set lr6 640; set lr9 512;;
    set lr10 0;;

block:
    incr lr1 128; incr lr5 1;
    ldr_cyclic_mult_reg lr1 cr0 lr0;
    mult.ve.cr lr0 lr0 lr0 cr3;
    acc.stride 32 on on lr5;
    bne lr5 lr7 block;;

    aaq;;
    xmem.store_aaq_result lr4 cr1;
    acc.stride 16 on_expand on lr10;;
    aaq;;
    set lr4 256;;
    xmem.store_aaq_result lr4 cr1;;

copy:
    ldr_mult_reg r1 lr4 cr1;
    mult.ve r1 lr0 lr0 lr0 lr7; acc.first;
    incr lr4 128;;
    str_acc_reg lr4 cr2;
    blt lr4 lr6 copy;;
    set lr4 0;;
    str_acc_reg lr4 cr2;
    bkpt;;
