# conv3x3_row.s: a 3x3 convolution of one channel, one row of 128 pixels after the other
#
#   out[y][x] = sum over dy = 0..2, dx = 0..2 of kernel[dy][dx] * image[y + dy - 1][x + dx - 1]
#
# for y = 0 .. H - 1, x = 0 .. 127, in all three element types; pixels outside the image are zero.
# The nine products are added row by row, left to right.
#
# The cyclic register is a ring of four image rows: row y lives in quarter y mod 4, so that one
# register serves as offset in memory and as cyclic index, and a pixel's left neighbour is one byte
# further down. Past the ends of a row that byte belongs to another row: there a mask makes the
# product zero. The tap's column dx is also the number of its mask and the place of its weight.
#
# Registers
#   lr0  = 0: dx of the left column, mask 0 (without pixel 0); mask shift
#   lr1  = 1: dx of the middle column, mask 1 (all pixels)
#   lr2  = 2: dx of the right column, mask 2 (without pixel 127)
#   lr3  = offset of the image row to load, at the start that of a kernel row
#   lr4  = cyclic offset of the tap
#   lr5  = offset of the row in out
#   lr6  = offset of the last image row, that is of the lower margin
#   cr0  = IMAGE_BASE (image with margins, 128 bytes a row)
#   cr1  = KERNEL_BASE (kernel, 9 bytes row by row)
#   cr2  = MASK_BASE (masks, 16 bytes each)
#   cr3  = OUT_BASE (out, 512 bytes a row)
#   cr4  = LAST_ROW ((H + 1) * 128)
#   cr15 = element type
#   r0, r1, mem_bypass = kernel rows 0, 1, 2, in their first three bytes
#
# Memory (for H up to 510)
#   0x00000  (H + 2) * 128 bytes   image: a row of zeros, rows 0 .. H - 1, a row of zeros
#   0x10000  9 bytes               kernel; the loads read on to 0x10086
#   0x10100  128 bytes             masks, of which three are used; a set bit suppresses its pixel:
#                                  0 = bit 0 set, 1 = no bit set, 2 = bit 127 set
#   0x20000  H * 512 bytes         out, int32 or float32
#
# The host loads image, kernel and masks and sets cr0 to cr4 and cr15.
# Time: 9 bundles a row, one multiplication in each.

    set                   lr0 0;
    set                   lr1 1;;
    set                   lr2 2;
    add                   lr6 lr0 cr4;              # a copy of cr4: lr0 was 0 before the bundle
    ldr_mult_reg          r0 lr0 cr1;;
    set                   lr3 3;
    set                   lr5 -512;
    ldr_mult_reg          r1 lr3 cr1;;
    set                   lr3 6;
    ldr_mult_reg          mem_bypass lr3 cr1;;
    ldr_mult_mask_reg     lr0 cr2;;
    ldr_cyclic_mult_reg   lr0 cr0 lr0;;

# The first tap of the first row: from here on the loop always begins with a tap done.
    set                   lr3 128;
    set                   lr4 -1;
    ldr_cyclic_mult_reg   lr3 cr0 lr3;
    mult.ve               r0 lr4 lr0 lr0 lr0;
    acc.first;;

row:
    incr                  lr3 128;
    incr                  lr4 1;
    ldr_cyclic_mult_reg   lr3 cr0 lr3;              # the row below, for the last three taps
    mult.ve               r0 lr4 lr1 lr0 lr1;
    acc;;

    incr                  lr4 1;
    mult.ve               r0 lr4 lr2 lr0 lr2;
    acc;;

    incr                  lr4 126;                  # left column of the next row
    mult.ve               r1 lr4 lr0 lr0 lr0;
    acc;;

    incr                  lr4 1;
    mult.ve               r1 lr4 lr1 lr0 lr1;
    acc;;

    incr                  lr4 1;
    mult.ve               r1 lr4 lr2 lr0 lr2;
    acc;;

    incr                  lr4 126;
    mult.ve               mem_bypass lr4 lr0 lr0 lr0;
    acc;;

    incr                  lr4 1;
    mult.ve               mem_bypass lr4 lr1 lr0 lr1;
    acc;;

    incr                  lr4 1;
    mult.ve               mem_bypass lr4 lr2 lr0 lr2;
    acc;;

# The store comes before acc.first in the bundle's order: it writes the row that is finished while
# the first tap of the next row starts over. After the last row that tap leads to nothing.
    incr                  lr4 -130;                 # back to the left column, one row down
    incr                  lr5 512;
    str_acc_reg           lr5 cr3;
    mult.ve               r0 lr4 lr0 lr0 lr0;
    acc.first;
    bne                   lr3 lr6 row;;

    bkpt;;
