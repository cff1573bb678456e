/* The slot mult: 128 products, into mult_res. */
#ifndef MULT_H
#define MULT_H

#include "elements.h"

enum { NO_MULT, OP_MULT_EE, OP_MULT_EV, OP_MULT_VE, OP_MULT_VE_CR, OP_MULT_VE_AAQ };

/* What the multiplier gets: `first` times `second`, of which one may be the same in all lanes. */
typedef struct {
    const uint8_t *first, *second; /* 128 elements, or null where `scalar` stands for them */
    uint8_t scalar;
} Factors;

/* 128 elements of r_cyclic, which wraps around at its end. */
INLINE const uint8_t *wrapped_window(uint32_t start, uint8_t *buffer) {
    start %= CYCLIC_SIZE;
    if (start <= CYCLIC_SIZE - LANES) return registers.r_cyclic + start;
    for (uint32_t lane = 0; lane < LANES; lane++)
        buffer[lane] = registers.r_cyclic[(start + lane) % CYCLIC_SIZE];
    return buffer;
}

/* 128 elements of r_cyclic, with the element 1 past its end. The start does not wrap. */
INLINE const uint8_t *open_window(uint32_t start, uint8_t one, uint8_t *buffer) {
    if (start <= CYCLIC_SIZE - LANES) return registers.r_cyclic + start;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const bool is_inside = start < CYCLIC_SIZE && start + lane < CYCLIC_SIZE;
        buffer[lane] = is_inside ? registers.r_cyclic[start + lane] : one;
    }
    return buffer;
}

INLINE Factors factors_of(const MultInstruction *i, ElementType type, uint8_t *buffer) {
    const Word *scalars = registers.scalars;
    const uint8_t *ra = registers.mult_stage[i->ra];
    const uint32_t start = scalars[i->cyclic];
    switch (i->op) {
    case OP_MULT_EE: return (Factors){ra, wrapped_window(start, buffer), 0};
    case OP_MULT_EV: return (Factors){ra, 0, registers.r_cyclic[start % CYCLIC_SIZE]};
    case OP_MULT_VE:
        return (Factors){0, wrapped_window(start, buffer), ra[scalars[i->fixed] % LANES]};
    case OP_MULT_VE_CR:
        return (Factors){0, open_window(start, one_of(type), buffer),
                         (uint8_t)scalars[CR + i->fixed]};
    default:
        return (Factors){0, open_window(start, one_of(type), buffer),
                         (uint8_t)scalars[AAQ + i->fixed]};
    }
}

/* Store four products and, if wanted, their sums with the accumulator; returns these. */
INLINE Vector put_ints(int lane, Vector products, bool accumulates) {
    wasm_v128_store(registers.mult_res + lane, products);
    if (accumulates) {
        const Vector old = wasm_v128_load(registers.r_acc + lane);
        wasm_v128_store(registers.r_acc + lane, wasm_i32x4_add(old, products));
    }
    return products;
}

INLINE void multiply_ints(Factors factors, bool accumulates) {
    const Vector scalar = wasm_i16x8_splat((int8_t)factors.scalar);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        Vector low, high;
        if (factors.first && factors.second) {
            const Vector a = wasm_v128_load(factors.first + lane);
            const Vector b = wasm_v128_load(factors.second + lane);
            low = wasm_i16x8_extmul_low_i8x16(a, b);
            high = wasm_i16x8_extmul_high_i8x16(a, b);
        } else {
            const uint8_t *elements = factors.first ? factors.first : factors.second;
            const Vector a = wasm_v128_load(elements + lane);
            low = wasm_i16x8_mul(wasm_i16x8_extend_low_i8x16(a), scalar);
            high = wasm_i16x8_mul(wasm_i16x8_extend_high_i8x16(a), scalar);
        }
        put_ints(lane, wasm_i32x4_extend_low_i16x8(low), accumulates);
        put_ints(lane + 4, wasm_i32x4_extend_high_i16x8(low), accumulates);
        put_ints(lane + 8, wasm_i32x4_extend_low_i16x8(high), accumulates);
        put_ints(lane + 12, wasm_i32x4_extend_high_i16x8(high), accumulates);
    }
}

/* Products of elements of which some are infinite or NaN. */
RARE void multiply_special_floats(const uint8_t *first, const uint8_t *second, uint8_t scalar,
                                  ElementType type) {
    for (int lane = 0; lane < LANES; lane++) {
        const Word a = element_word(first ? first[lane] : scalar, type);
        const Word b = element_word(second ? second[lane] : scalar, type);
        registers.mult_res[lane] = product_of(a, b);
    }
}

/* Four finite products; returns the sum of `so_far` and of what was accumulated. */
INLINE Vector put_floats(int lane, Vector products, bool accumulates, Vector so_far) {
    wasm_v128_store(registers.mult_res + lane, products);
    if (!accumulates) return so_far;
    const Vector sums = wasm_f32x4_add(wasm_v128_load(registers.r_acc + lane), products);
    wasm_v128_store(registers.r_acc + lane, sums);
    return wasm_f32x4_add(so_far, sums);
}

INLINE Vector numbers_at(const uint8_t *elements, int lane, const SmallFloats *type, Vector scalar,
                         HalfWords *numbers, int number) {
    if (!elements) return scalar;
    const Vector zero = opaque_zero();
    if (number == 0) *numbers = half_words(wasm_v128_load(elements + lane), type, zero);
    return quarter_of(*numbers, number, zero);
}

/* Products of finite elements. An infinite or NaN accumulator leaves a total that is not finite; a
 * finite one may do so as well, by overflow. */
INLINE Vector multiply_finite_floats(Factors factors, ElementType type, bool accumulates) {
    const Vector scalar = wasm_f32x4_splat(float_of(element_word(factors.scalar, type)));
    const SmallFloats floats = small_floats(type);
    Vector totals[4];
    for (int number = 0; number < 4; number++) totals[number] = wasm_f32x4_const_splat(0);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        HalfWords first = {scalar, scalar}, second = {scalar, scalar};
        for (int number = 0; number < 4; number++) {
            const Vector a = numbers_at(factors.first, lane, &floats, scalar, &first, number);
            const Vector b = numbers_at(factors.second, lane, &floats, scalar, &second, number);
            totals[number] =
                put_floats(lane + 4 * number, wasm_f32x4_mul(a, b), accumulates, totals[number]);
        }
    }
    return wasm_f32x4_add(wasm_f32x4_add(totals[0], totals[1]),
                          wasm_f32x4_add(totals[2], totals[3]));
}

INLINE bool factors_are_finite(Factors factors, ElementType type) {
    const SmallFloats floats = small_floats(type);
    if (factors.first && !are_finite(factors.first, &floats)) return false;
    if (factors.second && !are_finite(factors.second, &floats)) return false;
    return (factors.first && factors.second) || is_finite_element(factors.scalar, type);
}

/* A mask of 128 bits, shifted up by a positive distance and down by a negative one. */
typedef struct {
    uint64_t low, high;
} Mask;

INLINE Mask shifted_mask(Mask mask, int32_t distance) {
    const uint32_t by = distance < 0 ? 0u - (uint32_t)distance : (uint32_t)distance;
    if (by == 0) return mask;
    if (by >= 128) return (Mask){0, 0};
    if (distance > 0) {
        if (by >= 64) return (Mask){0, mask.low << (by - 64)};
        return (Mask){mask.low << by, mask.high << by | mask.low >> (64 - by)};
    }
    if (by >= 64) return (Mask){mask.high >> (by - 64), 0};
    return (Mask){mask.low >> by | mask.high << (64 - by), mask.high >> by};
}

INLINE Mask mask_of(const MultInstruction *i) {
    Mask mask;
    copy_bytes(&mask, registers.r_mask[registers.scalars[i->mask] % MASKS], MASK_SIZE);
    if (!(mask.low | mask.high)) return mask;
    return shifted_mask(mask, (int32_t)registers.scalars[i->shift]);
}

RARE void clear_masked(uint64_t low, uint64_t high) {
    const Vector bits = wasm_u32x4_const(1, 2, 4, 8);
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
        const uint64_t half = lane < 64 ? low : high;
        const Vector chosen = wasm_v128_and(wasm_i32x4_splat((int32_t)(half >> lane % 64)), bits);
        const Vector is_kept = wasm_i32x4_eq(chosen, wasm_i32x4_const_splat(0));
        Word *words = registers.mult_res + lane;
        wasm_v128_store(words, wasm_v128_and(wasm_v128_load(words), is_kept));
    }
}

/* Multiply and, if wanted, add the products to the accumulator, all of whose words are finite.
 * Returns whether they were added: they are not where a mask or an element that is not finite is in
 * the way. */
INLINE bool multiply(const MultInstruction *i, Factors factors, ElementType type,
                     bool accumulates) {
    const Mask mask = mask_of(i);
    const bool is_masked = mask.low | mask.high;
    const bool adds = accumulates && !is_masked;
    if (type == INT8) {
        if (adds)
            multiply_ints(factors, true);
        else
            multiply_ints(factors, false);
    } else if (factors_are_finite(factors, type)) {
        if (adds) {
            const Vector total = multiply_finite_floats(factors, type, true);
            /* A sum of zeros, unless one is infinite or NaN. */
            const Vector zeros = wasm_f32x4_sub(total, total);
            const Vector is_zero = wasm_f32x4_eq(zeros, wasm_f32x4_const_splat(0));
            acc_finiteness = wasm_i32x4_all_true(is_zero) ? ALL_FINITE : UNKNOWN;
        } else
            multiply_finite_floats(factors, type, false);
    } else {
        multiply_special_floats(factors.first, factors.second, factors.scalar, type);
        if (is_masked) clear_masked(mask.low, mask.high);
        return false;
    }
    if (is_masked) clear_masked(mask.low, mask.high);
    return adds;
}

/* One copy of the loops for each shape of the factors. */
INLINE bool execute_mult(const MultInstruction *i, ElementType type, bool accumulates) {
    uint8_t buffer[LANES];
    const Factors factors = factors_of(i, type, buffer);
    if (!factors.first)
        return multiply(i, (Factors){0, factors.second, factors.scalar}, type, accumulates);
    if (!factors.second)
        return multiply(i, (Factors){factors.first, 0, factors.scalar}, type, accumulates);
    return multiply(i, factors, type, accumulates);
}

#endif
