// tiles.s: 6 tiles of 4 rows; each tile is loaded into the whole ring, and all 128 elements of a
// vector meet each of its rows.
//
//   lr1 = 512: size of a tile
//   lr10 = 5; lr11 = 4

    set lr0 0; set lr1 512;;
    set lr10 5; set lr11 4;;
    set lr12 0; set lr3 -512;;
    set lr2 0; ldr_mult_mask_reg lr0 cr3;;

tile:
    set lr4 0; set lr5 0;;
load:
    ldr_cyclic_mult_reg lr2 cr0 lr4;;
    incr lr4 128; incr lr2 128;;
    bne lr4 lr1 load;;

    ldr_mult_reg mem_bypass lr3 cr4; incr lr3 512;;
    set lr6 0; reset_acc;;
part:
    mult.ee mem_bypass lr5 lr0 lr0; acc;
    incr lr5 128; incr lr6 1;;
    blt lr6 lr11 part;;

    str_acc_reg lr3 cr1;
    incr lr12 1;
    bne lr12 lr10 tile;;
    bkpt;;
