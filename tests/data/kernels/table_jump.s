// A table of cases: cr0 = 0, 1 or 2 chooses what lr5 becomes.
//
// Each case takes two bundles, the table begins at bundle 5. There is no check;; the host does it.

    set lr0 0;          set lr1 5;;
    add lr2 lr0 cr0;;
    add lr2 lr2 lr2;;                   // 2 * case
    add lr2 lr2 lr1;;                   // + table
    br  lr2;;

case_0: set lr5 1;;
        b end;;
case_1: set lr5 2;;
        b end;;
case_2: set lr5 3;;
        b end;;

end:    bkpt;;
