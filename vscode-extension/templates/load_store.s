# load_store.s: N rows of 128 elements from memory, times a factor, and back into memory
#
#   out[k] = factor * in[k], k = 0 .. N * 128 - 1, here N = 4
#
# in all three element types. The products are not narrowed: out holds int32 or float32.
#
# Registers
#   lr0  = 0: cyclic index and offset, mask 0, mask shift
#   lr1  = offset of the row in in, 128 bytes a row
#   lr2  = offset of the row in out, 512 bytes a row
#   lr3  = offset of the last row in in: (N - 1) * 128
#   cr0  = IN_BASE (in)
#   cr1  = OUT_BASE (out)
#   cr2  = factor, an element in the low byte
#   cr15 = element type
#
# Memory
#   0x00000  N * 128 bytes   in
#   0x10000  N * 512 bytes   out
#
# The host loads in and sets cr0 to cr2 and cr15. r_mask is zero: no mask.
#   ipu-run load_store.s --cr 1=0x10000 --cr 2=3 --load in.bin@0 --dump out.bin@0x10000:2048

    set                   lr0 0;
    set                   lr1 -128;;                # the loop steps before it loads
    set                   lr2 -512;
    set                   lr3 384;;

row:
    incr                  lr1 128;
    incr                  lr2 512;
    ldr_cyclic_mult_reg   lr1 cr0 lr0;              # sees the stepped lr1
    mult.ve.cr            lr0 lr0 lr0 cr2;          # sees the row that this bundle loads
    acc.first;;

    str_acc_reg           lr2 cr1;
    bne                   lr1 lr3 row;;

    bkpt;;
