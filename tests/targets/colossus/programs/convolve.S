#ifdef __IPU__
// Matrix products with weights in the configuration space; heavy use of macros with arguments.
#include "conv_partial.h.S"
#include <poplar/TileConstants.hpp>

#define WORKER_STACK 16
#if defined(USE_FLOAT) || __IPU_ARCH_VERSION__ == 21
#define AMP f32sisoamp
#define AMP_IN a0
#define AMP_OUT a8:9
#else
#define AMP f16v4sisoamp
#define AMP_IN a0:1
#define AMP_OUT a8:9
#endif

#define mPtr m0
#define mPtrs m2:3
#define mLoops m4
#define mStrides m5
#define mWeights m6
#define fifo a2:3

.macro conv_phase phase, last=0
  { ld2x64pace $a0:1, $fifo, $mPtrs+=, $mStrides, 0b0101
    f32sisoamp $AMP_OUT, $a4, $fifo, TAMP_F32_E4_P\phase }
.if \last
  { st64pace $a8:9, $mPtrs+=, $mStrides, 0b10
    f32sisoamp $azeros, $azero, $azeros, TAMP_F32_E4_P\phase }
.endif
.endm

.macro conv_all
  conv_phase 0
  conv_phase 1
  conv_phase 2
  conv_phase phase=3, last=1
.endm

.macro fill_pipeline a_reg, b_reg, flags
  { ld2x64pace \a_reg, \b_reg, $mPtrs+=, $mStrides, 0
    f16v4hihoamp $azero, $azeros, $a4, \flags }
.endm

.section .text.convWorker, "ax"
.type convWorker, @function
.align 8
    nop
.worker
convWorker:
.Lworker_start:
    ld32 $mLoops, $mworker_base, $mzero, W_LOOPS/4
    ld32 $mPtr, $mworker_base, $mzero, W_PTR / 4
    get $m7, $WSR
    and $m7, $m7, CSR_W_WSR__CTXTID_M1__MASK
    ldz16step $m8, $mzero, $mPtr+=, $m7
    brneg $mLoops, .Lno_work
    tapack $mPtrs, $m8, $mzero, $mWeights
    { ld64step $azeros, $mzero, $m8+=, 0
      uput $FP_CTL, $a0 }
    fill_pipeline $a0:1, $a2:3, TAMP_F16V4_E4_P0
    fill_pipeline $a0:1, $a2:3 TAMP_F16V4_E4_P1
    { rpt $mLoops, ((2f - 1f) / 8) - 1
      AMP $AMP_OUT, $AMP_IN, $azeros, TAMP_F16V4_E4_P0 }
1:
    conv_all
2:
    { bri .Lno_work ; fnop }
.Lno_work:
    exitnz $mzero

/* Supervisor side. */
.supervisor
.align 4
.globl convSupervisor
.type convSupervisor, @function
DEF_STACK_USAGE WORKER_STACK convSupervisor
convSupervisor:
    add $sp, $sp, -WORKER_STACK
    st32 $lr, $sp, $mzero, 0
    stm32 $m9, $sp, $m15
    setzi $m1, .Lworker_start
    ld32 $m2, $m0, $mzero, 3
    put $CCCSLOAD, $m2
    ld128putcs 0
    ld128putcs 1
    ld64putcs 8
    put $FP_ICTL, $m2
.Lnext_group:
    runall $m1, $sp, 0
    sync TEXCH_SYNCZONE_LOCAL
    ldconst $m6, (CONV_MASK | 0x80000000)
    brnzdec $m2, .Lnext_group
    ld32 $lr, $sp, $mzero, 0
    add $sp, $sp, WORKER_STACK
    br $lr
.size convSupervisor, .-convSupervisor
#endif
