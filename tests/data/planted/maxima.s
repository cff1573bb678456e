# maxima.s: the maximum of each of 16 rows, in all lanes of a result
#
#   lr3 = 512: past the ring, a view of ones

    set lr0 0; set lr3 512;;
    set lr1 0; set lr2 1920;;
    set lr4 -512; mult.ve.cr lr3 lr0 lr0 cr3; acc.first; agg sum value_cr cr5 aaq0;;

row:
    ldr_cyclic_mult_reg lr1 cr0 lr0;
    mult.ve.cr lr0 lr0 lr0 cr3;
    acc.first;
    agg max value cr0 aaq0;;
    mult.ve.cr lr3 lr0 lr0 cr6;
    acc.add_aaq.first aaq0;;
    incr lr4 512;
    str_acc_reg lr4 cr1;
    mult.ve.cr lr3 lr0 lr0 cr3;
    acc.first;
    agg sum value_cr cr5 aaq0;;
    mult.ve.aaq lr0 lr0 lr0 aaq1;
    incr lr1 128;
    bne lr1 lr2 row;;

    bkpt;;
