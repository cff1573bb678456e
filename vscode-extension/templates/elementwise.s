# elementwise.s: two tensors of N rows of 128 elements, element by element
#
#   out[k] = a[k] * b[k], k = 0 .. N * 128 - 1, here N = 4
#
# in all three element types. The products are not narrowed: out holds int32 or float32.
#
# Registers
#   lr0  = 0: cyclic index and offset, mask 0, mask shift
#   lr1  = offset of the row in a and in b, 128 bytes a row
#   lr2  = offset of the row in out, 512 bytes a row
#   lr3  = offset of the last row in a: (N - 1) * 128
#   cr0  = A_BASE (a)
#   cr1  = B_BASE (b)
#   cr2  = OUT_BASE (out)
#   cr15 = element type
#   r0   = a row of a; the first quarter of r_cyclic = the same row of b
#
# Memory
#   0x00000  N * 128 bytes   a
#   0x10000  N * 128 bytes   b
#   0x20000  N * 512 bytes   out
#
# The host loads a and b and sets cr0 to cr2 and cr15. r_mask is zero: no mask.
#   ipu-run elementwise.s --cr 1=0x10000 --cr 2=0x20000 \
#           --load a.bin@0 --load b.bin@0x10000 --dump out.bin@0x20000:2048

    set                   lr0 0;
    set                   lr1 -128;;                # the loop steps before it loads
    set                   lr2 -512;
    set                   lr3 384;;

# A bundle has one access to memory, so a row takes three: two loads and a store.
row:
    incr                  lr1 128;
    ldr_mult_reg          r0 lr1 cr0;;

    incr                  lr2 512;
    ldr_cyclic_mult_reg   lr1 cr1 lr0;
    mult.ee               r0 lr0 lr0 lr0;           # replace it, or add acc and aaq work
    acc.first;;

    str_acc_reg           lr2 cr2;
    bne                   lr1 lr3 row;;

    bkpt;;
