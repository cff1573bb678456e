#
# relu: out[i] = max(in[i], 0) for 128 * R elements, INT8
#
# +-------+-------+
# |  lr0  | in    |
# |  lr1  | out   |
# |  cr3  | one   |
# +-------+-------+
#

init:
  set  lr0 -128;         set  lr1 -128;;
  set  lr5 0;;
  add  lr2 lr5 cr4;;     # size - 256; see host/relu.py

# aaq0 is zero: the machine starts so.

row:
  ldr_cyclic_mult_reg lr0 cr0 lr5;
  mult.ve.cr  lr5 lr5 lr5 cr3;       # times 1
  acc.max.first  aaq0;
  incr lr0 128;;
  aaq;;                              # acc -> bytes
  xmem.store_aaq_result lr1 cr1;
  incr lr1 128;
  # break;
  blt  lr0 lr2 row;;

end: bkpt;;
