# requantize_int8.s: move an INT8 tensor to another scale and zero point, and watch its range
#
#   out[k] = clamp(scale * in[k] + offset, -128, 127), k = 0 .. N * 128 - 1, N at least 1
#   peak   = max over k of scale * in[k] + offset, before the clamp
#
# scale is an integer from -128 to 127, offset an int32: new zero point - scale * old zero point.
# A peak above 127 tells the host that the tensor was clipped, and by how much.
#
# Registers
#   lr0  = 0: cyclic index and offset, mask 0, mask shift, offset of the peak
#   lr1  = offset of the row in in and out
#   lr2  = offset of the last row
#   lr3  = 512, past the cyclic register: a view of ones
#   cr0  = IN_BASE (in, 128 bytes a row)
#   cr1  = OUT_BASE (out, 128 bytes a row)
#   cr2  = PEAK_BASE (peak)
#   cr3  = scale, in the low byte
#   cr4  = offset
#   cr5  = the lowest int32 (0x80000000)
#   cr6  = SIZE (N * 128)
#   cr7  = 1
#   cr8  = 0
#   cr15 = element type, INT8
#   aaq0 = offset, aaq1 = peak so far
#
# Memory (for N up to 512)
#   0x00000  N * 128 bytes   in
#   0x10000  N * 128 bytes   out
#   0x20000  512 bytes       peak, int32, once in every lane
#
# The host loads in and sets cr0 to cr8 and cr15. r_mask is zero (no mask), and so are aaq0, aaq1.
# Time: 2 bundles a row, which is one for each of its two accesses to memory.

    set                   lr0 0;
    set                   lr1 -128;;                # the loop steps before it loads

# aaq0 = cr4, aaq1 = cr5: the maximum of 128 ones and the old register, which is 0, times the cr.
    add                   lr2 cr6 lr1;              # SIZE - 128: lr1 from the bundle before
    set                   lr3 512;                  # at once visible to mult.ve.cr
    mult.ve.cr            lr3 lr0 lr0 cr7;
    acc.first;
    agg                   max value_cr cr4 aaq0;;
    agg                   max value_cr cr5 aaq1;;   # r_acc still holds the ones

# Load, multiply, add the offset and clamp in one bundle: each sees what the one before it wrote.
# There is one aaq slot for aaq and agg, so the peak waits for the bundle that stores.
row:
    incr                  lr1 128;
    ldr_cyclic_mult_reg   lr1 cr0 lr0;
    mult.ve.cr            lr0 lr0 lr0 cr3;
    acc.add_aaq.first     aaq0;
    aaq;;

    xmem.store_aaq_result lr1 cr1;
    agg                   max value cr0 aaq1;       # goes on from the old aaq1
    bne                   lr1 lr2 row;;

    mult.ve.cr            lr3 lr0 lr0 cr8;
    acc.add_aaq.first     aaq1;;                    # 0 + peak in every lane

    str_acc_reg           lr0 cr2;
    bkpt;;
