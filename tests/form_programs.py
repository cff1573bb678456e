"""Programs for the sets whose words nobody has told, as people and compilers write them."""

from __future__ import annotations

XDNA1 = """\
\t.file\t"kernel.cpp"
\t.section\t.text.kernel,"ax",@progbits
\t.globl\tkernel                          // -- Begin function kernel
\t.p2align\t4
\t.type\tkernel,@function
kernel:                                 // @kernel
// %bb.0:                               // %entry
\tnopb\t;\t\tnopa\t;\t\tnops\t;\t\tnopx\t;\t\tmov\tp3, p0;\t\tnopv
\tvldb\twl0, [p0, #0];\t\tmov\tp0, p1
\tvlda\twl2, [p1, #0];\t\tpaddb\t[p0], #32;\t\tpadds\t[p3], #32
\tvlda\twh0, [p3, #0];\t\tvldb\twh2, [p0, #0]
\tvlda\tamhh0, [p2, #32]
\tvlda\tamhl0, [p2, #0]
\tmova\tr0, #28
\tnop
\tnop
.LBB0_1:                                // %loop
\tjnz\tr0, #.LBB0_1
\tnop
\tnop
\tnop
\tadd\tr0, r0, #-1 /* counts
\t   down */
\tvmac.f\tbmh0, bmh0, x0, x2, r0
\tret lr
\tnop\t                                //  Delay Slot 5
\tnop\t                                //  Delay Slot 4
\tvst\tamhh0, [p2, #32]                //  Delay Slot 3
\tvst\tamhl0, [p2, #0]                 //  Delay Slot 2
\tnop\t                                //  Delay Slot 1
.Lfunc_end0:
\t.size\tkernel, .Lfunc_end0-kernel
\t.ident\t"a compiler"
\t.addrsig
"""

XDNA2 = """\
kernel:                              // @kernel
\tnopa\t;\t\tvldb\t x2, [p1, #0];\t\tnopxm\t;\t\tnops
\tvldb\t x4, [p1, #64]
\tmovxm\tr0, #16256
\tvlda.conv.fp32.bf16\t cml0, [p0, #0];\t\tvbcst.16\t x0, r0
\tmova\tr0, #53;\t\tvmov\tx1, x0
\tnop
\tvmul.f\tdm1, y3, y0, r0
\tvlda\t bmhl0, [p2, #128]
\tnop
\tnop
\tnop
\tnop
\tnop
\tvconv.bfp16ebs8.fp32\t ex0, dm0
\tnop
\tnop
\tnop
\tvmac.f\tdm0, dm0, ex0, ex2, r0
\tnop
\tnop
\tnop
\tnop
\tret\tlr
\tvst\t bmll0, [p2, #0]                //  Delay Slot 5
\tnop
\tnop
\tnop
\tnop
"""

COLOSSUS = """\
// Adds two vectors, one element at a time.
#include "poplar/TileConstants.hpp"
#ifdef __IPU__
#define BASE $m0
#define COUNT \\
    $m1

.macro STEP dst, src
    ld32step \\dst, $mzero, \\src+=, 1
.endm

.globl __runCodelet_Add
.type __runCodelet_Add, @function
.section .text.__runCodelet_Add
.align 8
.worker
__runCodelet_Add:
    ld32 $m2, $mvertex_base, $mzero, 0      /* where the data is */
    ld32 $m1, $mvertex_base, $mzero, 1
    brz $m1, .Lend
    setzi $m3, __runCodelet_Add + 8
1:
    STEP $a0, $m2
    { add $m1, $m1, -1
      f32add $a1, $a0, $a1 }
    brnz $m1, 1b
    {
        rpt $m1, 1
        fnop
    }
    {ld64step $a0:1, $mzero, $m2+=, 1; f32v2add $a2:3,$a0:1,$a2:3}
    { nop ; f32v2add $a2:3, $a0:1, $a2:3 }
    bnez_like $m1, 2f
    bri 2f
2:  st32 $a1, $m2, $mzero, 0
.Lend:
    exitz $mzero
.size __runCodelet_Add, .-__runCodelet_Add
#endif
"""

MACROS = """\
#define FNAME(NAME, T) \\
    __runCodelet_ ## NAME ## ___ ## T
#define STEP(x, y) \\
    { rpt x, 2 ; fnop } ; \\
    f32add y, y, y

.altmacro
.macro LOOP name, count=4, type:req
  .local again
.Lagain\\@:
\\name\\()_\\type:
  .rept \\count
    ld32step $a0, $mzero, $m2+=, 1
  .endr
  .ifnb \\type
    { \\name $m0, 1b
      f32add $a\\count, $a0, $a1 }
  .else
    .error "no type, \\type"
  .endif
  brnzdec $m1, .Lagain\\@
  .irp reg, $a0, $a1
    mov \\reg, $azero
  .endr
.endm

.set SIZE, (4 * 8) / 2
OFFSET = SIZE + 4
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 1
.section ".text.FNAME(add, float)", "ax"
#elif 0
FNAME(add, float):
a: b: nop
#else
    STEP($m1, $a2)
#endif
    LOOP brnz, , float
    setzi $m0, %lo(SIZE) + OFFSET * 2
    STEP ( $a0 ,
           $m0 )
{
#ifdef A
    add $m0, $m0, 1
#else
    nop
#endif
    fnop
}
    st64step $azeros, $mzero, $m3+=, 1 ; nop // both
    .size FNAME(add, float), . - FNAME(add, float)
"""

PROGRAMS = {"xdna1": XDNA1, "xdna2": XDNA2, "colossus": COLOSSUS}
TEXTS = [*PROGRAMS.items(), ("colossus", MACROS)]
