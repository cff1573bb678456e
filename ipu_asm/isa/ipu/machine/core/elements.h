/* The element types FP8: values of bytes and products of two, as float32. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "machine.h"

INLINE int mantissa_bits(ElementType type) {
    return type == FP8_E4M3 ? 3 : 2;
}

/* The magnitudes from here on are infinite (E5M2 alone) or NaN. */
INLINE uint8_t first_special(ElementType type) {
    return type == FP8_E4M3 ? 0x7F : 0x7C;
}

/* The element 1. */
INLINE uint8_t one_of(ElementType type) {
    return type == INT8 ? 0x01 : type == FP8_E4M3 ? 0x38 : 0x3C;
}

INLINE bool is_finite_element(uint8_t element, ElementType type) {
    return (element & 0x7F) < first_special(type);
}

/* The word of an element. A NaN is the canonical one with the sign of the element. */
INLINE Word element_word(uint8_t element, ElementType type) {
    const Word sign = (Word)(element & 0x80) << 24, magnitude = element & 0x7F;
    const int bits = mantissa_bits(type), bias = type == FP8_E4M3 ? 7 : 15;
    if (!is_finite_element(element, type))
        return sign | (type == FP8_E5M2 && magnitude == 0x7C ? INFINITY_WORD : CANONICAL_NAN);
    if (magnitude >> bits) /* normal */
        return sign | ((magnitude << (23 - bits)) + ((Word)(127 - bias) << 23));
    const float unit = type == FP8_E4M3 ? 0x1p-9f : 0x1p-16f;
    return sign | word_of((float)magnitude * unit);
}

/* The product of two words of elements, which is exact. Of two NaNs the first one is the result. */
INLINE Word product_of(Word a, Word b) {
    if (is_nan_word(a)) return a;
    if (is_nan_word(b)) return b;
    const float product = float_of(a) * float_of(b);
    return product != product ? CANONICAL_NAN : word_of(product);
}

/* Sixteen float32 numbers of which the lower 16 bits are zero: the other bits, as bytes. All finite
 * elements are such numbers. */
typedef struct {
    Vector high, low;
} HalfWords;

/* The bytes of the magnitudes 0 to 15, which are the subnormal elements and a few more. */
typedef struct {
    uint8_t high[BYTES_PER_VECTOR], low[BYTES_PER_VECTOR];
} SmallMagnitudes;

static const SmallMagnitudes SMALL_E4M3 = {
    {0x00, 0x3B, 0x3B, 0x3B, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C,
     0x3C},
    {0x00, 0x00, 0x80, 0xC0, 0x00, 0x20, 0x40, 0x60, 0x80, 0x90, 0xA0, 0xB0, 0xC0, 0xD0, 0xE0,
     0xF0},
};
static const SmallMagnitudes SMALL_E5M2 = {
    {0x00, 0x37, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x39, 0x39, 0x39, 0x39, 0x39, 0x39, 0x39,
     0x39},
    {0x00, 0x80, 0x00, 0x40, 0x80, 0xA0, 0xC0, 0xE0, 0x00, 0x20, 0x40, 0x60, 0x80, 0xA0, 0xC0,
     0xE0},
};

/* The numbers of sixteen finite elements. From the magnitude 16 on they are normal: their exponent
 * and mantissa are a shift and an addition away. The table has the others; its look-up gives zero
 * for an index above 15. */
INLINE HalfWords half_words(Vector elements, ElementType type) {
    const SmallMagnitudes *table = type == FP8_E4M3 ? &SMALL_E4M3 : &SMALL_E5M2;
    const int bits = mantissa_bits(type), down = bits + 1, up = 7 - bits;
    const uint8_t bias = type == FP8_E4M3 ? 0x3C : 0x38;
    const Vector magnitudes = wasm_v128_and(elements, wasm_i8x16_const_splat(0x7F));
    const Vector is_large = wasm_i8x16_gt(magnitudes, wasm_i8x16_const_splat(15));
    const Vector high =
        wasm_i8x16_add(wasm_u8x16_shr(magnitudes, down), wasm_i8x16_splat((int8_t)bias));
    const Vector low = wasm_i8x16_shl(magnitudes, up);
    const Vector small_high = wasm_i8x16_swizzle(wasm_v128_load(table->high), magnitudes);
    const Vector small_low = wasm_i8x16_swizzle(wasm_v128_load(table->low), magnitudes);
    const Vector sign = wasm_v128_and(elements, wasm_i8x16_const_splat((int8_t)0x80));
    return (HalfWords){
        wasm_v128_or(sign, wasm_v128_or(small_high, wasm_v128_and(high, is_large))),
        wasm_v128_or(small_low, wasm_v128_and(low, is_large)),
    };
}

/* Four numbers of sixteen, the quarter counted from 0. */
INLINE Vector quarter(HalfWords numbers, int number) {
    const Vector zero = wasm_i32x4_const_splat(0);
    const Vector half = number < 2 ? wasm_i8x16_shuffle(numbers.low, numbers.high, 0, 16, 1, 17, 2,
                                                        18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
                                   : wasm_i8x16_shuffle(numbers.low, numbers.high, 8, 24, 9, 25, 10,
                                                        26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return number % 2 ? wasm_i16x8_shuffle(zero, half, 0, 12, 1, 13, 2, 14, 3, 15)
                      : wasm_i16x8_shuffle(zero, half, 0, 8, 1, 9, 2, 10, 3, 11);
}

/* Whether all 128 elements are finite. */
INLINE bool are_finite(const uint8_t *elements, ElementType type) {
    Vector greatest = wasm_i32x4_const_splat(0);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        const Vector bytes = wasm_v128_load(elements + lane);
        const Vector magnitudes = wasm_v128_and(bytes, wasm_i8x16_const_splat(0x7F));
        greatest = wasm_u8x16_max(greatest, magnitudes);
    }
    const Vector special = wasm_i8x16_splat((int8_t)(first_special(type) - 1));
    return !wasm_v128_any_true(wasm_i8x16_gt(greatest, special));
}

#endif
