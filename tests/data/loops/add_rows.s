# add_rows.s: out[r] = a[r] * b[r] + c[r] * b[r], for 32 rows
#
#   lr0 = 0     lr1, lr2, lr3 = offsets in a, b, c     lr4 = offset in out     lr5, lr6 = row, rows
#
# CR cr0 = 0, cr1 = 0x8000, cr2 = 0x10000, cr3 = 0x20000

    set lr0 0; set lr1 -128;;
    set lr2 -128; set lr3 -128;;
    set lr4 -512; set lr5 0;;
    set lr6 31;;

row:
    ldr_mult_reg r0 lr1 cr0;
    incr lr1 128;;
    ldr_cyclic_mult_reg lr2 cr1 lr0;
    incr lr2 128;;
    ldr_mult_reg r1 lr3 cr2;
    incr lr3 128;;
    mult.ee r0 lr0 lr0 lr0; acc.first;;
    mult.ee r1 lr0 lr0 lr0; acc;;
    str_acc_reg lr4 cr3;
    incr lr4 512;;
    incr lr5 1;
    bne lr5 lr6 row;;

    bkpt;;
