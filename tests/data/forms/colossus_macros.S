#define FNAME(NAME, T) \
    __runCodelet_ ## NAME ## ___ ## T
#define STEP(x, y) \
    { rpt x, 2 ; fnop } ; \
    f32add y, y, y

.altmacro
.macro LOOP name, count=4, type:req
  .local again
.Lagain\@:
\name\()_\type:
  .rept \count
    ld32step $a0, $mzero, $m2+=, 1
  .endr
  .ifnb \type
    { \name $m0, 1b
      f32add $a\count, $a0, $a1 }
  .else
    .error "no type, \type"
  .endif
  brnzdec $m1, .Lagain\@
  .irp reg, $a0, $a1
    mov \reg, $azero
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
