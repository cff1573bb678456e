/* The float types E1 to E7: the numbers of sixteen bytes at a time. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "machine.h"
#include "small_floats.h"

/* The constants of a type, for all lanes. */
typedef struct {
    uint32_t mantissa_bits;
    Vector first_normal, first_nan; /* magnitudes */
    Vector bias;                    /* what turns a normal magnitude, shifted, into a float32 */
    Vector unit;                    /* the smallest number */
} ElementFormat;

/* The float32 of 2^exponent. */
INLINE float power(int exponent) {
    return float_of((Word)(127 + exponent) << 23);
}

INLINE ElementFormat format_of(uint32_t exponent_bits) {
    const int mantissa_bits = 7 - (int)exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    return (ElementFormat){
        .mantissa_bits = (uint32_t)mantissa_bits,
        .first_normal = wasm_i32x4_splat(1 << mantissa_bits),
        .first_nan = wasm_i32x4_splat(((1 << exponent_bits) - 1) << mantissa_bits),
        .bias = wasm_i32x4_splat((127 - bias) << 23),
        .unit = wasm_f32x4_splat(power(1 - bias - mantissa_bits)),
    };
}

/* The numbers of four elements, given as words. */
INLINE Vector numbers_of(Vector elements, const ElementFormat *format) {
    const Vector magnitudes = wasm_v128_and(elements, wasm_i32x4_const_splat(0x7F));
    const Vector sign = wasm_i32x4_shl(wasm_v128_and(elements, wasm_i32x4_const_splat(0x80)), 24);
    const Vector normal =
        wasm_i32x4_add(wasm_i32x4_shl(magnitudes, 23 - format->mantissa_bits), format->bias);
    const Vector small = wasm_f32x4_mul(wasm_f32x4_convert_i32x4(magnitudes), format->unit);
    const Vector is_small = wasm_i32x4_lt(magnitudes, format->first_normal);
    const Vector finite = wasm_v128_or(sign, wasm_v128_bitselect(small, normal, is_small));
    const Vector is_nan = wasm_i32x4_ge(magnitudes, format->first_nan);
    return wasm_v128_bitselect(wasm_i32x4_const_splat(0x7FC00000), finite, is_nan);
}

/* Four bytes of sixteen as words, the quarter counted from 0. */
INLINE Vector widened(Vector bytes, int quarter) {
    const Vector half =
        quarter < 2 ? wasm_u16x8_extend_low_u8x16(bytes) : wasm_u16x8_extend_high_u8x16(bytes);
    return quarter % 2 ? wasm_u32x4_extend_high_u16x8(half) : wasm_u32x4_extend_low_u16x8(half);
}

/* The type of a run. */
static SmallFloats small_floats;

/* Whether the type has as few bits of a mantissa as `small_floats` needs: E3 to E7. */
INLINE bool has_half_words(void) {
    return small_floats.mantissa_bits <= MOST_MANTISSA_BITS;
}

/* The number of an element. */
INLINE Word number_of(uint8_t element) {
    const ElementFormat format = format_of(control.option & EXPONENT_BITS);
    return (Word)wasm_i32x4_extract_lane(numbers_of(wasm_i32x4_splat(element), &format), 0);
}

RARE void make_small_floats(void) {
    const int exponent_bits = control.option & EXPONENT_BITS, bias = (1 << (exponent_bits - 1)) - 1;
    const int mantissa_bits = 7 - exponent_bits, high_bias = (127 - bias) >> 1;
    uint8_t high[BYTES_PER_VECTOR], low[BYTES_PER_VECTOR];
    for (int magnitude = 0; magnitude < BYTES_PER_VECTOR; magnitude++) {
        const int half = (int)(number_of((uint8_t)magnitude) >> 16);
        const int addend = half - (magnitude << (7 - mantissa_bits));
        high[magnitude] = (uint8_t)(addend >> 8);
        low[magnitude] = (uint8_t)addend;
    }
    const int first_nan = ((1 << exponent_bits) - 1) << mantissa_bits;
    small_floats = (SmallFloats){
        .mantissa_bits = mantissa_bits,
        .bias = wasm_i8x16_splat((int8_t)high_bias),
        .high = wasm_v128_load(high),
        .low = wasm_v128_load(low),
        .most_finite = wasm_i8x16_splat((int8_t)(first_nan - 1)),
    };
}

#endif
