# fully_connected.s: one fully connected layer, 10 samples x 128 inputs -> 64 outputs
#
#   results[s][j] = sum over i = 0..127 of inputs[s][i] * weights[j][i]
#
# in all three element types. The sum is built in the order of i, which makes the FP8 results
# exact to the bit. All 64 outputs of a sample grow side by side in the accumulator: each bundle of
# the inner loop multiplies one row of the transposed weights by one input.
#
# Registers
#   lr0  = offset of the sample in the inputs
#   lr1  = offset of the weight row
#   lr2  = i, the input that is multiplied
#   lr3  = 126, the value of i before the last turn of the inner loop
#   lr4  = offset of the sample in the results
#   lr5  = 1152, the offset of the last sample
#   lr6  = 0: cyclic index, mask 0, mask shift
#   cr0  = INPUT_BASE (inputs, 128 bytes a sample)
#   cr1  = WEIGHT_BASE (weights, transposed: 128 bytes for each input, 64 of them used)
#   cr2  = RESULT_BASE (results, 256 bytes a sample)
#   cr15 = element type
#   r0   = the sample; the first quarter of r_cyclic = one weight row
#
# Memory
#   0x00000   1,280 bytes   inputs[s][i] at s * 128 + i
#   0x20000  16,384 bytes   weights[j][i] at i * 128 + j; bytes 64..127 of each row are zero
#   0x40000   2,816 bytes   results[s][j] at s * 256 + j * 4, int32 or float32; the 256 bytes after
#                           the last sample receive the unused half of its accumulator
#
# The host loads inputs and weights and sets cr0, cr1, cr2 and cr15. r_mask is zero: no mask.
# Time: 130 bundles a sample, each with an access to memory.

    set                   lr0 0;
    set                   lr3 126;;
    set                   lr4 -256;
    set                   lr5 1152;;
    set                   lr6 0;;

sample:                                             # LOOP 10
    set                   lr1 -128;                 # the loop steps before it loads
    set                   lr2 -1;
    ldr_mult_reg          r0 lr0 cr0;
    reset_acc;;

# One bundle an input. The load and the multiplication see the loop registers that this bundle has
# just stepped, the multiplication sees the row that this bundle has just loaded, and acc adds this
# bundle's products. Only the branch compares the old lr2, hence 126 and not 127.
element:                                            # LOOP 128
    incr                  lr1 128;
    incr                  lr2 1;
    ldr_cyclic_mult_reg   lr1 cr1 lr6;
    mult.ve               r0 lr6 lr6 lr6 lr2;
    acc;
    bne                   lr2 lr3 element;;         # ASSERT-AFTER lr1 == lr2 * 128

    incr                  lr0 128;
    incr                  lr4 256;                  # from -256: the store sees the new offset
    str_acc_reg           lr4 cr2;
    bne                   lr0 lr5 sample;;          # the old lr0: the sample just done

    bkpt;;                                          # ASSERT lr4 == 9 * 256
