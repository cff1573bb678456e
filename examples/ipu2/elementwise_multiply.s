# elementwise_multiply.s: c = a * b for two vectors of N x 128 elements, clamped to int8
# isa: ipu2
#
#   c[k] = clamp(a[k] * b[k], -128, 127), k = 0 .. N * 128 - 1, N at least 1
#
# Registers
#   lr0  = number of the row
#   lr1  = 0: cyclic index, mask shift
#   cr2  = A_ROW (a, a row of 128 bytes)
#   cr3  = B_ROW (b, a row of 128 bytes)
#   cr4  = C_ROW (c, a row of 128 bytes)
#   cr5  = N - 1
#   cr15 = data structure: 128 valid elements, as after reset
#   r0   = a row of a; the first quarter of r_cyclic = the same row of b
#
# The host loads a and b and sets cr2 to cr5; r_mask has all bits set after reset: no mask.
# A store writes four rows, of which the first is the result: c needs three rows more.
# Time: 3 bundles a row, because mult sees what the bundle before has loaded.

    SET                 lr0 cr0;
    SET                 lr1 cr0;;
    DEC                 lr0 1;;                     # the loop steps before it loads

row:
    INC                 lr0 1;
    LDR_MULT_REG        r0 lr0 cr2;;                # the load sees the stepped lr0

    LDR_CYCLIC_MULT_REG lr0 cr3 lr1;;

    MULT.RC.VV          lr1 r0 0 lr1 cr15;
    ACC.ADD.FIRST;
    ACTIVATE.QUANTIZE   identity cr15;
    STR_POST_AAQ_REG    lr0 cr4;                    # sees the bytes of this bundle
    BLT                 lr0 cr5 row;;

    BKPT;;
