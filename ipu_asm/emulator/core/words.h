/* Words of 32 bits as int32 or float32, and the machine's rules for NaN.
 *
 * WebAssembly leaves the bits of a NaN that an operation returns to the processor. So no result
 * that may be NaN is ever kept: it is detected, and `nan_of_sum` makes its bits with integer
 * operations.
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <wasm_simd128.h>

typedef uint32_t Word;
typedef v128_t Vector;

enum { LANES = 128, BYTES_PER_VECTOR = 16, WORDS_PER_VECTOR = 4 };

static const Word CANONICAL_NAN = 0x7FC00000u;
static const Word QUIET_BIT = 0x00400000u;
static const Word SIGN_BIT = 0x80000000u;
static const Word INFINITY_WORD = 0x7F800000u;

#define INLINE static inline __attribute__((always_inline))
/* What runs seldom stays out of the loop, which keeps its registers. */
#define APART static __attribute__((noinline))
#define RARE static __attribute__((noinline, cold))

INLINE float float_of(Word word) {
    float value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
}

INLINE Word word_of(float value) {
    Word word;
    __builtin_memcpy(&word, &value, sizeof word);
    return word;
}

INLINE bool is_nan_word(Word word) {
    return (word & ~SIGN_BIT) > INFINITY_WORD;
}

/* Byte 0 of each vector, byte 1 of each, and so on. */
#define INTERLEAVE_LOW_BYTES(a, b)                                                                 \
    wasm_i8x16_shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define INTERLEAVE_HIGH_BYTES(a, b)                                                                \
    wasm_i8x16_shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)

/* Zero, without the compiler knowing: it would choose shuffles with it that few processors have. */
INLINE Vector opaque_zero(void) {
    Vector zero = wasm_i32x4_const_splat(0);
    __asm__("" : "+r"(zero));
    return zero;
}

/* A constant size makes this a sequence of vector loads and stores, never a call. */
#define copy_bytes(target, source, size) __builtin_memcpy_inline(target, source, size)

INLINE void clear_words(Word *words) {
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR)
        wasm_v128_store(words + lane, wasm_i32x4_const_splat(0));
}

/* The sum of the operands, one by one in double precision and rounded once. The first NaN, be it an
 * operand or made by the sum so far, is the result. */
INLINE Word sum_of(const Word *operands, int count) {
    double total = 0;
    for (int i = 0; i < count; i++) {
        if (is_nan_word(operands[i])) return operands[i] | QUIET_BIT;
        const double addend = (double)float_of(operands[i]);
        total = i ? total + addend : addend; /* 0.0 + -0.0 would lose a sign */
        if (total != total) return CANONICAL_NAN;
    }
    return word_of((float)total);
}

#endif
