# l2_normalize.s: scale rows of 128 numbers to length 1, in the 32-bit mode FP32
# isa: ipu2
# CR wide = fp32
#
#   out[r][i] = x[r][i] * inverse[r], inverse[r] = 1 / sqrt(sum over j of x[r][j] squared)
#
# for r = 0 .. R - 1; a row of zeros stays zero. The machine runs with --wide fp32: elements, words
# and rows of memory are four times as wide, and addresses in rows stay as they are.
# The squares are float32, their sum is built in double precision and rounded to float32, and so is
# the inverse. As an operand the inverse has to take the way through memory, to r0.
#
# Registers
#   lr0  = r, row of x and of out
#   lr1  = 0: place in r_cyclic, element of r0, word of the sum, mask shift, scratch row
#   cr2  = X_ROW (x, a row each; one more row is loaded)
#   cr3  = OUT_ROW (out, a row each)
#   cr4  = SCRATCH_ROW (one row)
#   cr5  = R - 1, the last row
#   cr15 = 128: all elements in use, as after reset
#   r0   = inverse[r] in element 0
#
# Memory, in rows of 512 bytes (for R up to 1,000)
#   0x000  R + 1 rows   x, float32
#   0x400  R rows       out, float32
#   0x800  1 row        scratch
#
# The host loads x and sets cr2 to cr5. Time: 3 bundles a row.

    SET                 lr0 cr0;
    SET                 lr1 cr0;
    LDR_CYCLIC_MULT_REG lr0 cr2 lr1;;

row:
    MULT.RC.VS          lr1 0 lr1 cr15;
    AGG.SUM.FIRST       lr1 cr15;
    ACTIVATE.QUANTIZE   rsqrt cr1;                  # one element: cr1 is 1
    STR_POST_AAQ_REG    lr1 cr4;;

    LDR_MULT_REG        r0 lr1 cr4;;

# The load of the next row comes after this row's elements have been taken.
    ADD                 lr2 lr0 lr1;
    INC                 lr0 1;
    LDR_CYCLIC_MULT_REG lr0 cr2 lr1;
    MULT.RC.VE          lr1 lr1 0 lr1 cr15;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE   identity cr15;
    STR_POST_AAQ_REG    lr2 cr3;
    BLT                 lr0 cr5 row;;               # the old lr0: the row just done

    BKPT;;
