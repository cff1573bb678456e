# conv_channels.s: a 3x3 convolution of one row, summed over 16 channels
#
#   lr0 = 0: mask and shift      lr1 = offset in image      lr2 = cyclic index of a row
#   lr3 = cyclic offset          lr4 = number of the tap    lr5, lr6 = channel, channels
#   lr7 = offset in out          lr9 = offset in kernel
#
# CR cr0 = 0, cr1 = 0x10000, cr2 = 0x20000

    set lr0 0;;
    set lr1 0;;
    set lr5 0; set lr6 16;;
    set lr9 0; reset_acc;;

channel:
    ldr_cyclic_mult_reg lr1 cr0 lr0;;       # the row above
    incr lr1 128; set lr2 128;;
    ldr_cyclic_mult_reg lr1 cr0 lr2;;       # this row
    incr lr1 128; set lr2 256;;
    ldr_cyclic_mult_reg lr1 cr0 lr2;;       # the row below
    incr lr1 128;;
    ldr_mult_reg r0 lr9 cr1;;               # nine weights
    incr lr9 128;;
    set lr3 0; set lr4 0;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 126; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 126; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr3 1; incr lr4 1;;
    mult.ve r0 lr3 lr0 lr0 lr4; acc;;
    incr lr5 1;;
    bne lr5 lr6 channel;;

    set lr7 0; str_acc_reg lr7 cr2; bkpt;;
