/* The element types FP8: values of bytes and products of two, as float32. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "machine.h"
#include "small_floats.h"

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

/* High and low bytes of what to add to the magnitudes 0 to 15, shifted by 4 and by 5 bits: the
 * difference of the biases from the first normal number on. */
static const uint8_t ADDENDS_E4M3[2][BYTES_PER_VECTOR] = {
    {0x00, 0x3A, 0x3B, 0x3B, 0x3B, 0x3B, 0x3B, 0x3B, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C, 0x3C,
     0x3C},
    {0x00, 0xF0, 0x60, 0x90, 0xC0, 0xD0, 0xE0, 0xF0},
};
static const uint8_t ADDENDS_E5M2[2][BYTES_PER_VECTOR] = {
    {0x00, 0x37, 0x37, 0x37, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38, 0x38,
     0x38},
    {0x00, 0x60, 0xC0, 0xE0},
};

INLINE SmallFloats small_floats(ElementType type) {
    const bool is_e4m3 = type == FP8_E4M3;
    return (SmallFloats){
        .mantissa_bits = mantissa_bits(type),
        .high = wasm_v128_load(is_e4m3 ? ADDENDS_E4M3[0] : ADDENDS_E5M2[0]),
        .low = wasm_v128_load(is_e4m3 ? ADDENDS_E4M3[1] : ADDENDS_E5M2[1]),
        .bias = wasm_i8x16_splat(is_e4m3 ? 0x3C : 0x38),
        .most_finite = wasm_i8x16_splat((int8_t)(first_special(type) - 1)),
    };
}

#endif
