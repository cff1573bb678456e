# empty.s: what it computes, in one line
#
#   out[k] = in[k], k = 0 .. 127
#
# Registers
#   cr0  = IN_BASE (in, 128 bytes)
#   cr1  = OUT_BASE (out, 512 bytes)
#   cr15 = element type
#
# Memory
#   0x00000  128 bytes   in
#   0x10000  512 bytes   out
#
# The host loads in and sets cr0, cr1 and cr15:
#   ipu-run empty.s --cr 1=0x10000 --load in.bin@0 --dump out.bin@0x10000:512

    bkpt;;
