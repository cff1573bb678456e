// Copies slices of a table, by indices. Plain code, no headers: everything has a definition here.
.set ROW_OFFSET, 2
.equ SRC_OFFSET, 0
DST_OFFSET = 1
COUNT_OFFSET = ROW_OFFSET + 1
#define base m0
#define src m1
#define dst m2
#define rows m3
#define count m4
#define index m5
#define saved m9
#define data0 a0
#define data01 a0:1
#define STACK_SIZE (2*4)
#define SAVE(reg, slot) st32 $reg, $sp, $mzero, slot
#define RESTORE(reg, slot) ld32 $reg, $sp, $mzero, slot

  .section .text.copy_rows, "ax", @progbits
  .globl copy_rows
  .type copy_rows, @function
  .align 8
  .worker
copy_rows:
  SAVE(saved, 0)
  add $sp, $sp, -STACK_SIZE
  ld32 $src, $base, $mzero, SRC_OFFSET
  ld32 $dst, $base, $mzero, DST_OFFSET
  ld32 $rows, $base, $mzero, ROW_OFFSET
  ldz16 $count, $base, $mzero, (COUNT_OFFSET * 2)
  // Nothing to do?
  brz $rows, 9f
  add $rows, $rows, -1
1: // one row after another
  ldz16step $index, $mzero, $src+=, 1
  mul $index, $index, 8
  cmpult $m6, $index, 65535; brz $m6, 8f
  add $m6, $base, $index
  shr $m7, $count, 1 ; brz $m7, 3f
  add $m7, $m7, -1
2:
    { ld64step $data01, $mzero, $m6+=, 1 ; fnop }
    { st64step $data01, $mzero, $dst+=, 1
      or $a2, $azero, 575 << 20 }
  brnzdec $m7, 2b
3:
  and $m7, $count, 1
  { brz $m7, 4f
    mov $a4:5, $azeros }
  ld32 $data0, $m6, $mzero, 0
  st32step $data0, $mzero, $dst+=, 1
4:
  { brnzdec $rows, 1b
    fnop
  }
8:
9:
  add $sp, $sp, STACK_SIZE
  RESTORE(saved, 0)
  br $lr
  .size copy_rows, . - copy_rows

  .align 4
  .type compare, @function
compare:
  cmpslt $m0, $m0, -3
  cmpeq $m1, $m0, 'a'
  movz $m2, $m0, $m1
  xnor $m2, $m2, $mzero
  roll8r $m2, $m2, $m1
  max $m3, $m2, 0xffff
  min $m3, $m3, -32768
  sub $m3, 100, $m3
  shrs $m4, $m3, 31
  call $lr, copy_rows
  bri compare + 4

  .section .data
  .align 8
  .Ltable: .long 1, 2, 3
  .Lmore:
    .word .Ltable, .Lmore - .Ltable, copy_rows
    .byte 1 ; .byte 2
  .string "a // no comment; { no bundle"
  .ascii "x"
