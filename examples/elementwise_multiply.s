# elementwise_multiply.s: c = a * b for two vectors of N x 128 elements
#
#   c[k] = a[k] * b[k], k = 0 .. N * 128 - 1, N at least 1
#
# in all three element types. The products are not narrowed: c holds int32 or float32.
#
# Registers
#   lr0  = offset of the row in a and in b, 128 bytes a row
#   lr1  = offset of the row in c, 512 bytes a row
#   lr2  = offset of the last row in a
#   lr3  = 0: cyclic index and offset, mask 0, mask shift
#   cr0  = A_BASE (a, 128 bytes a row)
#   cr1  = B_BASE (b, 128 bytes a row)
#   cr2  = C_BASE (c, 512 bytes a row)
#   cr3  = SIZE (N * 128)
#   cr15 = element type
#   r0   = a row of a; the first quarter of r_cyclic = the same row of b
#
# Memory (for N up to 512)
#   0x000000  N * 128 bytes   a
#   0x010000  N * 128 bytes   b
#   0x020000  N * 512 bytes   c
#
# The host loads a and b and sets cr0 to cr3 and cr15. r_mask is zero: no mask.
# Time: 3 bundles a row, which is one for each of its three accesses to memory.

    set                   lr0 -128;                 # the loop steps before it loads
    set                   lr1 -512;;
    add                   lr2 cr3 lr0;              # SIZE - 128: lr0 from the bundle before
    set                   lr3 0;;

row:
    incr                  lr0 128;
    ldr_mult_reg          r0 lr0 cr0;;              # the load sees the stepped lr0

    incr                  lr1 512;
    ldr_cyclic_mult_reg   lr0 cr1 lr3;
    mult.ee               r0 lr3 lr3 lr3;           # of the row that this bundle loads
    acc.first;;

    str_acc_reg           lr1 cr2;
    bne                   lr0 lr2 row;;

    bkpt;;
