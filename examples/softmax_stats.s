# softmax_stats.s: the statistics that a softmax over rows of 128 elements needs
#
#   stats[r] = (max of logits[r], sum of exps[r], 1 / sum of exps[r])
#
# for R rows, R at least 1, in all three element types. logits are a block of the scores; exps are
# their exponentials, taken by the host or a table with a scale of its own. The maximum is what
# blocks of one long row are merged with, 1 / sum is what the exponentials are multiplied with.
#
# There is no store for a single word. A statistic is spread over all lanes of r_acc (a product of
# zero plus the aaq register) and stored with 512 bytes; the next store begins one word later and
# overwrites all but the first. What the very last store leaves behind is the host's to ignore.
#
# Registers
#   lr0  = 0: mask 0, mask shift, cyclic index of the logits
#   lr1  = offset of the row in logits and exps
#   lr2  = offset past the last row
#   lr3  = 128: cyclic index of the exponentials
#   lr4  = offset in stats
#   lr5  = 512, past the cyclic register: a view of ones
#   cr0  = LOGIT_BASE (logits, 128 bytes a row)
#   cr1  = EXP_BASE (exps, 128 bytes a row)
#   cr2  = STAT_BASE (stats, 16 bytes a row)
#   cr3  = the element 1 (0x01 INT8, 0x38 FP8_E4M3, 0x3C FP8_E5M2)
#   cr4  = SIZE (R * 128)
#   cr5  = the lowest value (-128 in INT8, 0xFF800000 = minus infinity in FP8)
#   cr6  = 0
#   cr15 = element type
#   aaq0 = maximum, aaq1 = sum, aaq2 = 1 / sum
#
# Memory (for R up to 512)
#   0x00000  R * 128 bytes        logits; the last, unused load reads the 128 bytes after them
#   0x18000  R * 128 bytes        exps, none negative, the sum of each row at least 1
#   0x30000  R * 16 + 504 bytes   stats: maximum and sum (int32 or float32), 1 / sum (float32 in
#                                 every type), and a fourth word that means nothing
#
# The host loads logits and exps and sets cr0 to cr6 and cr15. r_mask is zero (no mask), so is aaq0.
# Time: 6 bundles a row.

    set                   lr0 0;
    set                   lr5 512;;

# aaq0 = cr5: the maximum of 128 ones and the old aaq0, which is 0, times cr5.
    set                   lr1 0;
    add                   lr2 lr0 cr4;
    mult.ve.cr            lr5 lr0 lr0 cr3;
    acc.first;
    agg                   max value_cr cr5 aaq0;;

    set                   lr3 128;
    set                   lr4 -8;
    ldr_cyclic_mult_reg   lr1 cr0 lr0;
    mult.ve.cr            lr0 lr0 lr0 cr3;
    acc.first;
    agg                   max value cr0 aaq0;;      # agg sees what acc.first has written

row:
    ldr_cyclic_mult_reg   lr1 cr1 lr3;
    mult.ve.cr            lr5 lr0 lr0 cr6;
    acc.add_aaq.first     aaq0;;

    incr                  lr4 8;
    str_acc_reg           lr4 cr2;                  # the maximum: before this acc.first
    mult.ve.cr            lr3 lr0 lr0 cr3;
    acc.first;
    agg                   sum value cr0 aaq1;;

    incr                  lr1 128;
    ldr_cyclic_mult_reg   lr1 cr0 lr0;              # the next row's logits
    agg                   sum inv cr0 aaq2;;

# agg max goes on from the old aaq0, so it must be low again for the next row: every lane holds the
# sum now, which is at least 1, and 128 times the sum times the lowest value is low enough.
    mult.ve.cr            lr5 lr0 lr0 cr6;
    acc.add_aaq.first     aaq1;
    agg                   sum value_cr cr5 aaq0;;

    incr                  lr4 4;
    str_acc_reg           lr4 cr2;                  # the sum
    acc.add_aaq.first     aaq2;;                    # mult_res still holds the zeros

    incr                  lr4 4;
    str_acc_reg           lr4 cr2;                  # 1 / sum, beside the next row's maximum
    mult.ve.cr            lr0 lr0 lr0 cr3;
    acc.first;
    agg                   max value cr0 aaq0;
    bne                   lr1 lr2 row;;

    bkpt;;
