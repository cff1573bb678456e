# fully_connected.s: one sample through a fully connected layer, 128 inputs -> 128 outputs
#
#   out[j] = sum over i = 0..127 of in[i] * weights[i][j]
#
# in all three element types. The 128 outputs grow side by side in the accumulator.
#
# Registers
#   lr0  = 0: cyclic index and offset, mask 0, mask shift, offset of the inputs and of the outputs
#   lr1  = offset of the row of weights, 128 bytes a row
#   lr2  = i, the input that is multiplied
#   lr3  = 126, the value of i before the last turn of the loop
#   cr0  = IN_BASE (in, 128 bytes)
#   cr1  = WEIGHT_BASE (weights, a row of 128 bytes for each input)
#   cr2  = OUT_BASE (out, 512 bytes)
#   cr15 = element type
#   r0   = the inputs; the first quarter of r_cyclic = a row of weights
#
# Memory
#   0x00000     128 bytes   in
#   0x10000  16,384 bytes   weights
#   0x20000     512 bytes   out, int32 or float32
#
# The host loads in and weights and sets cr0 to cr2 and cr15. r_mask is zero: no mask.
#   ipu-run fully_connected.s --cr 1=0x10000 --cr 2=0x20000 \
#           --load in.bin@0 --load weights.bin@0x10000 --dump out.bin@0x20000:512

    set                   lr0 0;
    set                   lr1 -128;;                # the loop steps before it loads
    set                   lr2 -1;
    set                   lr3 126;
    ldr_mult_reg          r0 lr0 cr0;
    reset_acc;;

# One bundle an input: it loads a row, multiplies it by the input and adds the products. Only the
# branch compares the lr2 from before the bundle, hence 126 and not 127.
element:
    incr                  lr1 128;
    incr                  lr2 1;
    ldr_cyclic_mult_reg   lr1 cr1 lr0;
    mult.ve               r0 lr0 lr0 lr0 lr2;
    acc;
    bne                   lr2 lr3 element;;

    str_acc_reg           lr0 cr2;
    bkpt;;
