/* Sums of rows of memory, each times a number: what the inner loop of a matrix product computes.
 *
 * A bundle that loads a row, multiplies it, accumulates and branches to itself is most of the time
 * of most kernels. Several iterations at once keep 16 words of the accumulator in registers, and
 * store no products.
 */
#ifndef ROW_SUMS_H
#define ROW_SUMS_H

#include "small_floats.h"

enum { MOST_ROWS = 128 };

/* Rows of elements, and the factor of each: an int8, or a float32 in all lanes. */
static struct {
    const uint8_t *elements[MOST_ROWS + 1];
    int16_t ints[MOST_ROWS];
    Vector floats[MOST_ROWS];
} rows;

/* A register that each iteration adds to, modulo a power of two. */
typedef struct {
    Word *scalar;
    Word start, step, ring;
} Stepper;

/* Give a register the value that it has after some iterations. */
INLINE void step_to(const Stepper *stepper, uint32_t iterations) {
    *stepper->scalar = (stepper->start + iterations * stepper->step) & stepper->ring;
}

/* Add the products of an even number of rows of int8, two at a time. An element is the high byte of
 * an int16, so the sums are 256 times as large: they fit, because 128 rows make at most 2^29. */
INLINE void add_int_rows(Word *acc, uint32_t count) {
    const Vector zero = opaque_zero();
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        Vector sums[4] = {zero, zero, zero, zero};
        for (uint32_t i = 0; i < count; i += 2) {
            const Vector first = wasm_v128_load(rows.elements[i] + lane);
            const Vector second = wasm_v128_load(rows.elements[i + 1] + lane);
            const Vector factors = wasm_v128_load32_splat(rows.ints + i);
            const Vector low = INTERLEAVE_LOW_BYTES(first, second);
            const Vector high = INTERLEAVE_HIGH_BYTES(first, second);
            const Vector elements[] = {
                INTERLEAVE_LOW_BYTES(zero, low), INTERLEAVE_HIGH_BYTES(zero, low),
                INTERLEAVE_LOW_BYTES(zero, high), INTERLEAVE_HIGH_BYTES(zero, high)};
            for (int quarter = 0; quarter < 4; quarter++)
                sums[quarter] =
                    wasm_i32x4_add(sums[quarter], wasm_i32x4_dot_i16x8(elements[quarter], factors));
        }
        for (int quarter = 0; quarter < 4; quarter++) {
            Word *words = acc + lane + 4 * quarter;
            const Vector sum = wasm_i32x4_shr(sums[quarter], 8);
            wasm_v128_store(words, wasm_i32x4_add(wasm_v128_load(words), sum));
        }
    }
}

/* Sixteen sums, and the greatest magnitude of all elements so far. */
typedef struct {
    Vector words[4], greatest;
} FloatSums;

INLINE void add_products(FloatSums *sums, Vector elements, Vector factor, const SmallFloats *type,
                         Vector zero) {
    sums->greatest = wasm_u8x16_max(sums->greatest, magnitudes_of(elements));
    const HalfWords numbers = half_words(elements, type, zero);
    for (int quarter = 0; quarter < 4; quarter++)
        sums->words[quarter] = wasm_f32x4_relaxed_madd(quarter_of(numbers, quarter, zero), factor,
                                                       sums->words[quarter]);
}

/* Add the products of an even number of rows and finite factors. False if an element or a sum is
 * infinite or NaN: then nothing has changed. A sum that is not finite once never becomes so again.
 * A product of two elements is exact, so it does not matter whether it is rounded before it is
 * added, which is all that `relaxed_madd` leaves to the processor. */
INLINE bool add_float_rows(Word *acc, uint32_t count, const SmallFloats *type) {
    Vector results[LANES / WORDS_PER_VECTOR], total = wasm_i32x4_const_splat(0);
    const Vector zero = opaque_zero();
    FloatSums sums = {.greatest = zero};
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        copy_bytes(sums.words, acc + lane, sizeof sums.words);
        for (uint32_t i = 0; i < count; i += 2) { /* two, so that there are fewer moves */
            const Vector first = wasm_v128_load(rows.elements[i] + lane);
            const Vector second = wasm_v128_load(rows.elements[i + 1] + lane);
            add_products(&sums, first, rows.floats[i], type, zero);
            add_products(&sums, second, rows.floats[i + 1], type, zero);
        }
        for (int quarter = 0; quarter < 4; quarter++) {
            /* Zero, or NaN for a sum that is not finite. */
            const Vector excess = wasm_f32x4_sub(sums.words[quarter], sums.words[quarter]);
            total = wasm_f32x4_add(total, excess);
            results[lane / 4 + quarter] = sums.words[quarter];
        }
    }
    if (wasm_v128_any_true(wasm_i8x16_gt(sums.greatest, type->most_finite))) return false;
    if (wasm_v128_any_true(wasm_f32x4_ne(total, total))) return false;
    copy_bytes(acc, results, sizeof results);
    return true;
}

#endif
