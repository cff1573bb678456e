# matrix_vector.s: out[n] = sum over k of x[n][k] * w[k], 8 samples, 64 inputs
#
#   lr0 = 0      lr1 = offset in x     lr2 = offset in w     lr3 = number of the input
#   lr4 = offset in out                lr5, lr6 = input, inputs        lr7, lr8 = sample, samples
#
# CR cr0 = 0, cr1 = 0x10000, cr2 = 0x20000

    set lr0 0;;
    set lr1 0;;
    set lr4 0;;
    set lr6 64;;
    set lr7 0; set lr8 8;;

sample:
    ldr_mult_reg r0 lr1 cr0; reset_acc;;
    set lr2 0;;
    set lr3 0;;
    set lr5 0;;

input:
    ldr_cyclic_mult_reg lr2 cr1 lr0;;
    mult.ve r0 lr0 lr0 lr0 lr3;
    acc;;
    incr lr2 128; incr lr3 1;;
    incr lr5 1;;
    blt lr5 lr6 input;;

    str_acc_reg lr4 cr2;;
    incr lr4 256; incr lr1 128;;
    incr lr7 1;;
    bne lr7 lr8 sample;;

    bkpt;;
