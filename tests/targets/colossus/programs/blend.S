// Blends two images: out[i] = mix * front[i] + back[i], for halves and for floats, with the largest
// and the smallest of all results. Written to be read, not to be fast.
#ifdef __IPU__
#include "layout.h"

#define FRONT   m0
#define BACK    m1
#define OUT     m2
#define COUNT   m3
#define REST    m4
#define STEP    m5
#define WORKER  m6

#define IN_A    a0:1
#define IN_B    a2:3
#define RESULT  a4:5
#define RESULT0 a4
#define RESULT1 a5
#define MIX     a6
#define LIMIT   a7

#define NAME(kind) blend_##kind##_\SUFFIX

.macro BLEND kind, mul, add, most, SUFFIX
.section .text.NAME(kind), "ax"
.globl NAME(kind)
.type NAME(kind), @function
.align 8
.worker
NAME(kind):
  {
    ld32 $FRONT, $mvertex_base, $mzero, FRONT_OFFSET / 4
    zero $RESULT
  }
  {
    ld32 $BACK, $mvertex_base, $mzero, BACK_OFFSET / 4
    mov $IN_A, $azeros
  }
  {ld32 $OUT, $mvertex_base, $mzero, OUT_OFFSET / 4
   mov $IN_B, $azeros}
  {ld32 $COUNT, $mvertex_base, $mzero, COUNT_OFFSET / 4
   f32add $LIMIT, $LIMIT, $azero}
  get $WORKER, $WSR
  and $WORKER, $WORKER, CSR_W_WSR__CTXTID_M1__MASK
  ld64step $azeros, $mzero, $FRONT+=, $WORKER
  ld64step $azeros, $mzero, $BACK+=, $WORKER
  ld64step $azeros, $mzero, $OUT+=, $WORKER
  setzi $STEP, WORKERS
  nop
  brz $COUNT, .Ldone\@
  { ld64step $IN_A, $mzero, $FRONT+=, $STEP ; f32mul $MIX, $MIX, $LIMIT }
  { ld64step $IN_B, $mzero, $BACK+=, $STEP ; \mul $IN_A, $MIX:B, $IN_A }
  { rpt $COUNT, (.Lend\@ - .Lstart\@) / 8 - 1
    f32v2add $RESULT, $IN_A, $IN_B }
.Lstart\@:
  {
    ld64step $IN_A, $mzero, $FRONT+=, $STEP
    f32v2max $IN_B, $IN_A, $IN_B          // the largest so far
  }
  {
    ld64step $IN_B, $mzero, $BACK+=, $STEP
    f32v2mul $IN_A, $MIX:B, $IN_A
  }
  {
    st64step $RESULT, $mzero, $OUT+=, $STEP
    f32v2add $RESULT, $IN_A, $IN_B
  }
.Lend\@:
  st64step $RESULT, $mzero, $OUT+=, $STEP
.Ldone\@:
  exitz $mzero
.size NAME(kind), . - NAME(kind)
.endm

BLEND float, f32v2mul, f32v2add, f32v2max, plain

// The halves are fewer, so they are done here once.
.section .text.blend_half, "ax"
.align 8
.worker
blend_half:
  {
    ld32 $FRONT, $mvertex_base, $mzero, FRONT_OFFSET / 4
    setzi $MIX, 0x3c00
  }
  {
    ld32 $COUNT, $mvertex_base, $mzero, COUNT_OFFSET / 4
    sort4x16lo $MIX, $MIX, $MIX
  }
  {and $REST, $COUNT, 3
   f16v2exp $RESULT0, $azero}
  {shr $COUNT, $COUNT, 2
   f16v2exp $RESULT1, $azero}
  nop
#if defined(WIDE)
  fnop
#else
  nop
#endif
  { ld64step $IN_A, $mzero, $FRONT+=, 1 ; f16v4add $RESULT, $RESULT, $IN_B }
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  { ld64step $IN_B, $mzero, $BACK+=, 1 ; f16v4mul $IN_A, $MIX:BL, $IN_A }
  { ld64step $IN_A, $mzero, $FRONT+=, 1 ; f16v4add $RESULT, $IN_A, $IN_B }
  { st64step $RESULT, $mzero, $OUT+=, 1 ; f16v4min $IN_B, $IN_B, $RESULT }
2:
  { ld32step $RESULT0, $mzero, $FRONT+=, 1 ; f16v2max $RESULT1, $RESULT1, $MIX }
  { ld32step $LIMIT, $mzero, $BACK+=, 1 ; f16v2mul $RESULT0, $MIX, $RESULT0 }
  {
    rpt $REST, 0
    f16v2min $LIMIT, $LIMIT, $RESULT0
  }
  { ld32step $RESULT0, $mzero, $FRONT+=, 1 ; f16v2add $RESULT1, $RESULT1, $LIMIT }
  nop
  rpt $REST, ((.Llast - .Lfirst) / 8) - 1
.Lfirst:
  {
    ld32step $LIMIT, $mzero, $FRONT+=, 1
    f16v2add $RESULT1, $RESULT1, $RESULT0
  }
.Llast:
  st32 $RESULT1, $mzero, $OUT, 0
  br $lr
#endif
