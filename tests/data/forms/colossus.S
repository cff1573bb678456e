// Adds two vectors, one element at a time.
#include "poplar/TileConstants.hpp"
#ifdef __IPU__
#define BASE $m0
#define COUNT \
    $m1

.macro STEP dst, src
    ld32step \dst, $mzero, \src+=, 1
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
