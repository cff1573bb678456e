# inverse_norm.s: the inverse Euclidean norm of rows of 128 elements
#
#   result[r] = 1 / sqrt(sum over i of x[r][i] * x[r][i]), and 0 for a row of zeros
#
# for R rows, R at least 1, in all three element types: the factor that brings embeddings to length
# one before they are compared.
#
# There is no store for a single word. The result is spread over all lanes of r_acc (a product of
# zero plus the aaq register) and stored with 512 bytes; the next row's store begins one word later
# and overwrites all but the first.
#
# Registers
#   lr0  = 0: cyclic index and offset, mask 0, mask shift
#   lr1  = offset of the row in x
#   lr2  = offset past the last row
#   lr3  = offset of the row in result
#   lr4  = 512, past the cyclic register: a view of ones
#   cr0  = X_BASE (x, 128 bytes a row)
#   cr1  = RESULT_BASE (result, 4 bytes a row)
#   cr2  = SIZE (R * 128)
#   cr3  = 0
#   cr15 = element type
#   r0 and the first quarter of r_cyclic = the same row of x
#   aaq0 = the result of the row
#
# Memory (for R up to 512)
#   0x00000  R * 128 bytes       x; the last, unused load reads the 128 bytes after it
#   0x18000  R * 4 + 508 bytes   result, float32 in every element type; the rest means nothing
#
# The host loads x and sets cr0 to cr3 and cr15. r_mask is zero: no mask.
# Time: 3 bundles a row, which is one for each of its three accesses to memory.

    set                   lr0 0;
    set                   lr1 0;;
    set                   lr3 -4;
    add                   lr2 lr0 cr2;              # a copy of cr2: lr0 was 0 before the bundle
    ldr_mult_reg          r0 lr1 cr0;;
    set                   lr4 512;;

# Load, square, sum and take the root in one bundle: each sees what the one before it wrote.
row:
    ldr_cyclic_mult_reg   lr1 cr0 lr0;
    mult.ee               r0 lr0 lr0 lr0;
    acc.first;
    agg                   sum inv_sqrt cr0 aaq0;;

    incr                  lr1 128;
    incr                  lr3 4;
    ldr_mult_reg          r0 lr1 cr0;               # the next row
    mult.ve.cr            lr4 lr0 lr0 cr3;
    acc.add_aaq.first     aaq0;;

    str_acc_reg           lr3 cr1;
    bne                   lr1 lr2 row;;

    bkpt;;
