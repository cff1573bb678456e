/* Random numbers and masks. Conditions inside bundles, labels made of arguments. */
#if defined(__IPU__)

#define STATE(n) (n)
#define OUT m1
#define LEN m2
#define TMP m3
#define RND(k) a ## k
#define ZERO_IF(COND, TARGET) \
  cmpeq $TMP, $COND, 0 ; \
  brnz $TMP, TARGET

#define SEED_SETUP                     \
  ld32 $a0, $mvertex_base, $mzero, 2 ; \
  uput $PRNG_0_0, $a0 ;                \
  uput $PRNG_0_1, $a0

.macro FUNCTION name, align=8
  .section .text.\name, "ax", @progbits
  .globl \name
  .type \name, @function
  .align \align
  .worker
  \name:
  .Lstart_\name:
.endm

.macro ENDFUNCTION name
  .Lend_\name:
  .size \name, .Lend_\name - .Lstart_\name
.endm

.macro UNROLL n, body:vararg
  .rept \n
    \body
  .endr
.endm

.macro TWICE first, second
  { \first ; \second }
  { \first
    \second }
.endm

FUNCTION uniform
  SEED_SETUP
  ld32 $OUT, $mvertex_base, $mzero, STATE(0)
  ld32 $LEN, $mvertex_base, $mzero, STATE(1)
  ZERO_IF(LEN, .Lend_uniform)
  add $LEN, $LEN, -1
1:
  {
    brnzdec $LEN, 1b   // the branch goes first

    urand64 $a0:1      /* and this beside it */
  }
2:
  { st64step $a0:1, $mzero, $OUT+=, 1
#ifdef USE_HALF
    f16v4sufromui $a0:1, $a0:1
#else
    f32v2sufromui $a0:1, $a0:1
#endif
  }
  { ldst64pace $a2:3, $a0:1, $m4:5+=, $mzero, 0b1001
  .if SCALED
    f32v2mul $a0:1, $a4:B, $a0:1
  .else
    fnop
  .endif
  }
  UNROLL 3, nop
  TWICE nop, fnop
  bri 1b
ENDFUNCTION uniform

FUNCTION mask align=16
  ld64 $a4:5, $mvertex_base, $mzero, 1
  { setzi $m0, 1.0h ; f16v4rmask $a0:1, $a0:1, $a6 }
  setzi $a7, 0x3c00
  sort4x16lo $a6, $a7, $a7
  f32v2gina $a2:3, $azeros, 0
  f16v2gina $a2, $azero, 0xfff
  f32int $a2, $a3, 3
  f32cmpgt $a3, $a2, $a1
  atom $m1, $a3
  { ld2xst64pace $a0:3, $a4:5, $m0:1+=, $m2, 0b110011
    f32v2axpy $a6:7, $a0:1, $a2:3 }
  exitnz $m1
ENDFUNCTION mask
#endif
