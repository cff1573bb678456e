#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"

/* Sums of rows, one entry point for each type and operation, made by macros. */

.macro REGISTER_ALIASES
.endm

#define PTR_OUT_OFFSET 0
#define PTR_IN_OFFSET 1
#define NUM_OFFSET 2

#define baseReg m0
#define inPtr m1
#define numReg m2
#define outPtr m3
#define accLo a0:1
#define accHi a2:3

.macro ENTRY NAME TYPE
.globl \NAME\()_\TYPE
.type \NAME\()_\TYPE, @function
.section .text.\NAME\()_\TYPE, "ax"
.align 8
.worker
\NAME\()_\TYPE:
.endm

.macro FINISH NAME, TYPE
.size \NAME\()_\TYPE, .-\NAME\()_\TYPE
.endm

// OP is the instruction, ACCUMULATE what is done with it.
.macro ROW_LOOP OP:req, WIDTH=2, LOAD=ld64step
.if \WIDTH == 2
  \LOAD $accLo, $mzero, $inPtr+=, 1
  rpt $numReg, (.Lrow_end\@ - .Lrow_begin\@) / 8 - 1
.Lrow_begin\@:
  { \LOAD $accLo, $mzero, $inPtr+=, 1
    \OP $accLo }
.Lrow_end\@:
.else
.ifc \OP, f32v4acc
  ld128step $a0:3, $mzero, $inPtr+=, 1
.else
  ld64step $a0:1, $mzero, $inPtr+=, 1
  ld64step $a2:3, $mzero, $inPtr+=, 1
.endif
  { add $numReg, $numReg, -1
    \OP $a0:3 }
.endif
.endm

.macro REDUCE TYPE, OP, STORE
ENTRY reduce \TYPE
  ld32 $inPtr, $mvertex_base, PTR_IN_OFFSET
  ld32 $outPtr, $mvertex_base, PTR_OUT_OFFSET
  ld32 $numReg, $mvertex_base, NUM_OFFSET
  { setzi $baseReg, 0 ; zero $azeros }
  uput $FP_CLR, $a0
  ROW_LOOP \OP WIDTH=4
  f16v4gacc $a4:5
  \STORE $a4\(), $mzero, $outPtr+=, 1
  exitz $mzero
FINISH reduce, \TYPE
.endm

REDUCE half f16v8acc st32step
REDUCE float, f32v4acc, st32step

.irp N, 0, 1, 2, 3
.section .rodata.table\N
.align 4
table\N:
  .int \N * 4, (1 << \N) - 1
  .short 0x\N
.endr

.rept 4
  { nop ; fnop }
.endr

// Supervisor entry: all workers, and then the next step.
.section .text.supervisor_reduce
.globl supervisor_reduce
.type supervisor_reduce, @function
.supervisor
.align 4
supervisor_reduce:
  setzi $m1, reduce_half
  runall $m1, $m0, 0
  sync TEXCH_SYNCZONE_LOCAL
  br $lr
.size supervisor_reduce, .-supervisor_reduce
#endif
