/* Elements of one byte with a sign, an exponent and a mantissa of at most four bits: sixteen at a
 * time as float32. */
#ifndef SMALL_FLOATS_H
#define SMALL_FLOATS_H

#include "words.h"

enum { MOST_MANTISSA_BITS = 4 };

/* Sixteen float32 numbers of which the lower 16 bits are zero: the other bits, eight by eight. All
 * finite elements are such numbers. */
typedef struct {
    Vector first, second;
} HalfWords;

/* The constants of a type, for all lanes. */
typedef struct {
    int mantissa_bits;
    Vector high, low;   /* bytes of what to add to the magnitudes 0 to 15, shifted into place */
    Vector bias;        /* the high byte of what to add to normal magnitudes; the low one is 0 */
    Vector most_finite; /* the greatest magnitude that is neither infinite nor NaN */
} SmallFloats;

INLINE Vector magnitudes_of(Vector elements) {
    return wasm_v128_and(elements, wasm_i8x16_const_splat(0x7F));
}

/* What to add to sixteen magnitudes, shifted into place: their high and low bytes. */
INLINE void find_addends(Vector magnitudes, const SmallFloats *type, Vector *high, Vector *low) {
    if (type->mantissa_bits < MOST_MANTISSA_BITS) {
        /* 15 is a normal number, and stands for all that are greater. */
        const Vector index = wasm_u8x16_min(magnitudes, wasm_i8x16_const_splat(15));
        *high = wasm_i8x16_relaxed_swizzle(type->high, index);
        *low = wasm_i8x16_relaxed_swizzle(type->low, index);
    } else {
        /* A look-up gives zero above 15. */
        const Vector is_normal = wasm_i8x16_gt(magnitudes, wasm_i8x16_const_splat(15));
        *high = wasm_v128_or(wasm_i8x16_swizzle(type->high, magnitudes),
                             wasm_v128_and(is_normal, type->bias));
        *low = wasm_i8x16_swizzle(type->low, magnitudes);
    }
}

/* The numbers of sixteen finite elements. A shift that keeps the sign brings exponent and mantissa
 * to their places. What is added is the difference of the biases, if the number is normal, or else
 * what makes a float32 of that magnitude. */
INLINE HalfWords half_words(Vector elements, const SmallFloats *type, Vector zero) {
    const uint32_t down = (uint32_t)type->mantissa_bits + 1;
    const Vector kept = wasm_i16x8_splat((int16_t)(0x8000 | 0x7F00 >> down));
    const Vector first = wasm_i16x8_shr(INTERLEAVE_LOW_BYTES(zero, elements), down);
    const Vector second = wasm_i16x8_shr(INTERLEAVE_HIGH_BYTES(zero, elements), down);
    Vector high, low;
    find_addends(magnitudes_of(elements), type, &high, &low);
    return (HalfWords){
        wasm_i16x8_add(wasm_v128_and(first, kept), INTERLEAVE_LOW_BYTES(low, high)),
        wasm_i16x8_add(wasm_v128_and(second, kept), INTERLEAVE_HIGH_BYTES(low, high)),
    };
}

/* Four numbers of sixteen, the quarter counted from 0. */
INLINE Vector quarter_of(HalfWords numbers, int quarter, Vector zero) {
    const Vector half = quarter < 2 ? numbers.first : numbers.second;
    return quarter % 2 ? wasm_i16x8_shuffle(zero, half, 4, 12, 5, 13, 6, 14, 7, 15)
                       : wasm_i16x8_shuffle(zero, half, 0, 8, 1, 9, 2, 10, 3, 11);
}

/* Whether 128 elements are finite. */
INLINE bool are_finite(const uint8_t *elements, const SmallFloats *type) {
    Vector greatest = wasm_i32x4_const_splat(0);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        const Vector bytes = wasm_v128_load(elements + lane);
        const Vector magnitudes = wasm_v128_and(bytes, wasm_i8x16_const_splat(0x7F));
        greatest = wasm_u8x16_max(greatest, magnitudes);
    }
    return !wasm_v128_any_true(wasm_i8x16_gt(greatest, type->most_finite));
}

#endif
