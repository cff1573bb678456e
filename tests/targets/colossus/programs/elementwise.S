#ifdef __IPU__
#include "elementwise_common.inc"
// One file, included again and again with other definitions (TYPE, OP, VECTOR).
#ifndef VECTOR
#error "VECTOR is not defined; don't assemble this alone"
#endif
#define CAT_(a, b) a ## b
#define CAT(a, b) CAT_(a, b)
#define NAME CAT(elementwise_, OP)
#define LABEL(x) CAT(CAT(.L, NAME), x)
#define mIn m0
#define mOut m1
#define mN m2
#define mRem m3
#define aIn a0:1
#define aRes a2:3

  .section .text.NAME
  .globl NAME
  .type NAME, @function
  .align 8
#if defined(SUPERVISOR_ENTRY)
  .supervisor
NAME:
  setzi $m4, LABEL(_worker)
  runall $m4, $m0, 0
  sync 0
  br $lr
#endif
  .worker
LABEL(_worker):
NAME_WORKER:
  ld32 $mIn, $mvertex_base, $mzero, 0
  { ld32 $mOut, $mvertex_base, $mzero, 1
    VECTOR_PREPARE }
  ld32 $mN, $mvertex_base, $mzero, 2
  divideWork mN mRem m4
  BOTH_HALVES(nop,
              fnop)
  { ld64step $aIn, $mzero, $mIn+=, 1
    fnop }
  { rpt $mN, ((2f - 1f)/8) - 1
    VECTOR(OP) $aRes, $aIn, $aIn }
1:
  { ld64step $aIn, $mzero, $mIn+=, STRIDE
    INSTRUCTION_FIRST }
  { st64step $aRes, $mzero, $mOut+=, STRIDE
    CAT(VECTOR_PREFIX, mul) $aRes, $aIn, $aIn }
2:
#ifdef ODD
  bri LABEL(_odd)
LABEL(_odd):
  ldb16 $a0, $mIn, $mzero, 0 ; CAT(f16v2, OP) $a0, $a0, $a0 ; st32 $a0, $mOut, $mzero, 0
#elif defined(EVEN)
  nop
#endif
#undef NAME
#define NAME second_entry
NAME:
  brz $mRem, LABEL(_end)
  { add $mRem, $mRem, -1; fnop } // on one line
LABEL(_end):
  exitz $mzero
  .size NAME, .-NAME
#undef NAME
#define NAME third_entry
NAME:
  exitz $mzero
  .size NAME, .-NAME
#endif // __IPU__
