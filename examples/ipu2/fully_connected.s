# fully_connected.s: one fully connected layer, 10 samples x 128 inputs -> 64 outputs
# isa: ipu2
#
#   results[s][j] = sum over i = 0..127 of inputs[s][i] * weights[j][i]
#
# in INT8 and in all float types. The layer of examples/fully_connected.s with the same data: the
# sum is built in the order of i, and all 64 outputs of a sample grow side by side in the
# accumulator. A multiplication sees the elements from before its bundle, so each bundle of the
# inner loop loads the weights that the next one multiplies. The row of the last bundle is row 0
# again, for the first input of the next sample.
#
# Registers
#   lr0  = sample
#   lr1  = weight row to load
#   lr2  = i, the input that is multiplied: its element in r0
#   lr3  = row of the sample in the results
#   lr4  = 0: place in r_cyclic, mask shift
#   cr2  = INPUT_ROW (inputs, a row a sample)
#   cr3  = WEIGHT_ROW (weights, transposed: a row for each input, 64 of its elements used)
#   cr4  = RESULT_ROW (results, two rows a sample)
#   cr5  = 126, the value of i before the last turn of the inner loop
#   cr6  = 9, the last sample
#   cr15 = 128: all elements in use, as after reset
#   r0   = the sample; the first quarter of r_cyclic = one weight row
#
# Memory, in rows of 128 bytes
#   0x000   10 rows   inputs[s][i] at row s
#   0x400  128 rows   weights[j][i] at row i, byte j; bytes 64..127 are zero
#   0x800   22 rows   results[s][j] at row 2 * s, int32 or float32; the two rows after the last
#                     sample receive the unused half of its accumulator
#
# The host loads inputs and weights and sets cr2 to cr6. Time: 129 bundles a sample.

    SET                 lr0 cr0;
    SET                 lr1 cr0;
    SET                 lr4 cr0;
    LDR_CYCLIC_MULT_REG lr1 cr3 lr4;;
    SET                 lr2 cr0;
    LDR_MULT_REG        r0 lr0 cr2;;

sample:
    INCR_MOD_POW2       lr1 cr1 7;                  # 0 after 127
    LDR_CYCLIC_MULT_REG lr1 cr3 lr4;
    MULT.RC.VE          lr4 lr2 0 lr4 cr15;
    ACC.ADD.FIRST;;

# Only the branch compares the old lr2, hence 126 and not 127.
element:
    INCR_MOD_POW2       lr1 cr1 7;
    INC                 lr2 1;
    LDR_CYCLIC_MULT_REG lr1 cr3 lr4;
    MULT.RC.VE          lr4 lr2 0 lr4 cr15;
    ACC.ADD;
    BLT                 lr2 cr5 element;;

# STR_ACC_REG stores the sums for a comparison; silicon stores activated and quantized elements.
    ADD                 lr3 lr0 lr0;                # the old lr0: the sample just done
    INC                 lr0 1;
    SET                 lr2 cr0;
    LDR_MULT_REG        r0 lr0 cr2;                 # the next sample; after the last one, no input
    STR_ACC_REG         lr3 cr4;                    # ipu: ignore[simulation-only] sums to compare
    BLT                 lr0 cr6 sample;;            # the old lr0, too

    BKPT;;
