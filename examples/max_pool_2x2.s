# max_pool_2x2.s: 2x2 max pooling with stride 2 of an INT8 image 64 pixels wide
#
#   out[y][x] = max of image[2y][2x], image[2y][2x + 1], image[2y + 1][2x], image[2y + 1][2x + 1]
#
# for G x 8 image rows, G at least 1, which give G x 4 rows of 32 pixels.
#
# A block is two image rows, 128 bytes; four blocks are a group, which fills the cyclic register.
# First pass, for each block: the maximum of the window at every pixel, from four shifted views of
# the block, goes to a scratch row as bytes. Second pass: acc.stride keeps every second column and
# the first of the two rows, which leaves 32 pixels of each scratch row for a quarter of r_acc.
# Views reach past their block only in lanes that the second pass drops.
#
# Registers
#   lr0  = 0: mask 0, mask shift
#   lr1  = offset of the block to load, and its cyclic index
#   lr2  = cyclic offset of the view
#   lr3  = offset of the scratch row to write
#   lr4  = offset in out: 32 bytes a block
#   lr5  = number of the block: acc.stride takes it modulo 4
#   lr6  = offset of the scratch row to read
#   lr7  = 128: cyclic index of the scratch row (quarter 0 already holds the next group's block)
#   lr8  = 256: a scratch offset before the last step to 384
#   lr9  = size of the image
#   lr10 = 512, past the cyclic register: a view of ones
#   cr0  = IMAGE_BASE (image, 64 bytes a row)
#   cr1  = SCRATCH_BASE (scratch, 4 rows of 128 bytes)
#   cr2  = OUT_BASE (out, 32 bytes a row)
#   cr3  = 1, the factor that leaves a pixel as it is
#   cr4  = IMAGE_SIZE (G * 512)
#   cr5  = -128, the lowest pixel
#   cr15 = element type, INT8
#   aaq0 = -128, so that it never wins a maximum
#
# Memory (for G up to 128)
#   0x00000  G * 512 bytes   image; the last, unused load reads the 128 bytes after it
#   0x18000  512 bytes       scratch
#   0x20000  G * 128 bytes   out
#
# The host loads the image and sets cr0 to cr5 and cr15. r_mask is zero (no mask), and so is aaq0.
# Time: 21 bundles a group: 4 for each block, 1 for each scratch row, 1 to finish.

    set                   lr0 0;
    set                   lr10 512;;

# aaq0 = cr5: the maximum of 128 ones and the old aaq0, which is 0, times cr5. agg sees the ones
# that acc.first has just written.
    set                   lr1 0;
    add                   lr9 lr0 cr4;
    mult.ve.cr            lr10 lr0 lr0 cr3;
    acc.first;
    agg                   max value_cr cr5 aaq0;;

    set                   lr4 -128;
    set                   lr5 -1;;
    set                   lr7 128;
    set                   lr8 256;;

    set                   lr2 0;                    # the first view of the first block
    set                   lr3 -128;
    ldr_cyclic_mult_reg   lr1 cr0 lr1;
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max.first         aaq0;;

window:
    incr                  lr1 128;
    incr                  lr2 1;                    # right neighbour
    ldr_cyclic_mult_reg   lr1 cr0 lr1;              # the next block, maybe of the next group
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max               aaq0;;

    incr                  lr2 63;                   # below
    set                   lr6 -128;
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max               aaq0;;

    incr                  lr2 1;                    # below on the right; aaq sees this maximum
    incr                  lr4 32;
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max               aaq0;
    aaq;;

    incr                  lr2 63;                   # the first view of the next block
    incr                  lr3 128;
    xmem.store_aaq_result lr3 cr1;
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max.first         aaq0;
    bne                   lr3 lr8 window;;

# One bundle a scratch row. The aaq of the last one sees all four quarters, the others are in vain.
gather:
    incr                  lr5 1;
    incr                  lr6 128;
    ldr_cyclic_mult_reg   lr6 cr1 lr7;
    mult.ve.cr            lr7 lr0 lr0 cr3;
    acc.stride            64 on on lr5;
    aaq;
    bne                   lr6 lr8 gather;;

    set                   lr2 0;                    # the next group's first view
    set                   lr3 -128;
    xmem.store_aaq_result lr4 cr2;
    mult.ve.cr            lr2 lr0 lr0 cr3;
    acc.max.first         aaq0;
    bne                   lr1 lr9 window;;

    bkpt;;
