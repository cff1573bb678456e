// scale.S: y[i] = k * x[i], pairs of 32-bit floats, one worker
//
// The vertex
//   word 0 = x, 8-byte aligned
//   word 1 = y, 8-byte aligned
//   word 2 = number of pairs, 1 or more
//   word 3 = k
//
// Registers
//   $m0 = x
//   $m1 = y
//   $m2 = pairs that are left
//   $a0:1 = pair of x
//   $a2:3 = pair of y
//   $a4 = k

    .section .text.scale, "ax"
    .globl scale
    .type scale, @function
    .align 8
    .worker
scale:
    ld32 $m0, $mvertex_base, $mzero, 0
    ld32 $m1, $mvertex_base, $mzero, 1
    ld32 $m2, $mvertex_base, $mzero, 2
    ld32 $a4, $mvertex_base, $mzero, 3
    ld64step $a0:1, $mzero, $m0+=, 1
    { add $m2, $m2, -1
      f32v2mul $a2:3, $a4:B, $a0:1 }
    brz $m2, 3f
    // Each turn stores the pair before the one that it loads. The body begins at 8 bytes.
    { rpt $m2, ((2f - 1f) / 8) - 1
      fnop }
1:
    { ld64step $a0:1, $mzero, $m0+=, 1
      fnop }
    { st64step $a2:3, $mzero, $m1+=, 1
      f32v2mul $a2:3, $a4:B, $a0:1 }
2:
3:
    st64step $a2:3, $mzero, $m1+=, 1
    exitz $mzero
    .size scale, .-scale
