// axpy.S: y[i] = a * x[i] + y[i], pairs of 32-bit floats, one worker
//
// The vertex is described in axpy.h.
//
// Registers
//   $a0:1 = pair of x, then its product
//   $a2:3 = pair of y
#include "axpy.h"

#define X      $m0  // next pair of x
#define Y      $m1  // next pair of y
#define PAIRS  $m2  // pairs that are left
#define FACTOR $a4  // a

    .section .text.axpy, "ax"
    .globl axpy
    .type axpy, @function
    .align 8
    .worker
axpy:
    AXPY_LOAD(X, AXPY_X)
    AXPY_LOAD(Y, AXPY_Y)
    AXPY_LOAD(PAIRS, AXPY_PAIRS)
    AXPY_LOAD(FACTOR, AXPY_FACTOR)
    brz PAIRS, .Ldone
    add PAIRS, PAIRS, -1
.Lnext:
    ld64step $a0:1, $mzero, X+=, 1
    { ld64 $a2:3, Y, $mzero, 0
      f32v2mul $a0:1, FACTOR:B, $a0:1 }
    f32v2add $a2:3, $a2:3, $a0:1
    st64step $a2:3, $mzero, Y+=, 1
    brnzdec PAIRS, .Lnext
.Ldone:
    exitz $mzero
    .size axpy, .-axpy
