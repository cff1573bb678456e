# depthwise.s: three taps of each of 24 channels, all 72 weights in one vector
#
#   lr0 = 0     lr1 = offset in image     lr3 = cyclic offset     lr4 = number of the weight
#   lr5, lr6 = channel, channels          lr7 = offset in out
#
# CR cr0 = 0, cr1 = 0x8000, cr2 = 0x10000

    set lr0 0; set lr1 0;;
    set lr5 0; set lr6 23;;
    set lr3 0; set lr4 -1;;
    set lr7 -512; ldr_mult_reg r0 lr0 cr1;;

channel:
    ldr_cyclic_mult_reg lr1 cr0 lr0;
    incr lr4 1;
    mult.ve r0 lr3 lr0 lr0 lr4; acc.first;;
    incr lr3 1; incr lr4 1;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 -2; incr lr1 128;;
    incr lr7 512; str_acc_reg lr7 cr2;
    incr lr5 1;
    bne lr5 lr6 channel;;

    bkpt;;
