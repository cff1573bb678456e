# fully_connected_ev.s -- one fully connected layer, one sample a call
# ============================================================================
# input   : cr0  (128 bytes, x[i])
# weights : cr1  (128 rows of 128 bytes, row i is the column of x[i])
# output  : cr2  (128 words)
#
# Every bundle ends with ;; -- a single ; only separates.
# ============================================================================

# ---- setup -----------------------------------------------------------------
setup:
    set             lr0  0          ;       # cyclic index, mask 0, shift
    set             lr1  -1         ;;      # i: the loop steps before it reads
    set             lr2  126        ;       # the branch sees the old i
    set             lr4  -128       ;;      # row of weights
    ldr_cyclic_mult_reg lr0 cr0 lr0 ;
    reset_acc                       ;;

# ---- main loop -------------------------------------------------------------
loop:
    ldr_mult_reg    r0   lr4  cr1   ;       # next row of weights
    mult.ev         r0   lr1  lr0 lr0 ;     # times x[i]
    acc                             ;
    incr            lr4  128        ;
    incr            lr1  1          ;
    bne             lr1  lr2  loop  ;;      # 128 bundles

# ---- store -----------------------------------------------------------------
store:
    str_acc_reg     lr0  cr2        ;;

end:
    bkpt                            ;;
