// A vertex that adds a scaled vector to another one: y = y + k * x.
#ifdef __IPU__

#include "poplar/AvailableVTypes.h"
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

/* The state of the vertex, as the compiler lays it out.
   Offsets are in units of 4 bytes; the comment goes on; { and } mean nothing here.
*/
#define VERTEX_DATA_Y_OFFSET 0
#define VERTEX_DATA_X_OFFSET 1
#define VERTEX_DATA_SIZE_OFFSET 2
#define VERTEX_DATA_SCALE_OFFSET 3
#define LOG2_ATOMS 2
#define ATOM_MASK ((1 << LOG2_ATOMS) - 1)

// Registers by name.
#define mY m0
#define mX m1
#define mSize m2
#define mCount m3
#define mWorker m4
#define mPacked m6:7
#define mTmp m8
#define aX a0:1
#define aY a2:3
#define aOut a4:5
#define aScale a6

#define FUN(TYPE) __runCodelet_popops__ScaledAdd___ ## TYPE
#define CHECK_ALIGNED(REG, TMP, LABEL)  \
  and $TMP, $REG, 0x7 ;                 \
  brnz $TMP, LABEL

.macro LOAD_STATE
  ld32 $mY, $mvertex_base, $mzero, VERTEX_DATA_Y_OFFSET
  ld32 $mX, $mvertex_base, $mzero, VERTEX_DATA_X_OFFSET
  ld32 $mSize, $mvertex_base, $mzero, VERTEX_DATA_SIZE_OFFSET
.endm

DEF_STACK_USAGE 0 FUN(half)
.section .text.FUN(half), "ax"
.globl FUN(half)
.type FUN(half), @function
.align 8
.worker
FUN(half):
  LOAD_STATE
  { ld32 $mTmp, $mvertex_base, $mzero, VERTEX_DATA_SCALE_OFFSET
    setzi $aScale, 0 }
  ldb16 $aScale, $mTmp, $mzero, 0
  get $mWorker, $WSR
  and $mWorker, $mWorker, CSR_W_WSR__CTXTID_M1__MASK
  CHECK_ALIGNED(mY, mTmp, .Lslow_half)
  // How many vectors of four this worker has.
  shr $mCount, $mSize, LOG2_ATOMS
  { add $mCount, $mCount, CTXT_WORKERS - 1
    uput $TAS, $aScale }
  sub $mCount, $mCount, $mWorker
  brz $mCount, .Lrest_half
  tapack $mPacked, $mX, $mzero, $mY
  { ld2x64pace $aX, $aY, $mPacked+=, $mzero, 0b0011
    fnop }
  nop
  add $mCount, $mCount, -1
  { rpt $mCount, ((.Lend_half - .Lbegin_half) / 8) - 1
    f16v4mul $aOut, $aScale:BL, $aX }
.Lbegin_half:
  { ld2x64pace $aX, $aY, $mPacked+=, $mzero, 0b0011
    f16v4add $aOut, $aOut, $aY }
  { st64pace $aOut, $mPacked+=, $mzero, 0b00
    f16v4mul $aOut, $aScale:BL, $aX }
.Lend_half:
  f16v4add $aOut, $aOut, $aY
  st64pace $aOut, $mPacked+=, $mzero, 0
.Lrest_half:
  and $mCount, $mSize, ATOM_MASK
  brz $mCount, .Lexit_half
1:
  ldb16 $a0, $mX, $mzero, 0
  { add $mCount, $mCount, -1 ; f16v2mul $a0, $aScale:BL, $a0 }
  { brnzdec $mCount, 1b ; fnop }
.Lexit_half:
  exitz $mzero
.Lslow_half:
  trap 0
  bri .Lexit_half
.size FUN(half), .-FUN(half)

#endif // __IPU__
