/* The slot mult: 128 products, into mult_res. */
#ifndef MULT_H
#define MULT_H

#include "elements.h"

enum { NO_MULT, OP_MULT_RC_VV, OP_MULT_RC_VE, OP_MULT_RC_VS, OP_MULT_VE, OP_MULT_EE };

static const Word PADS[] = {0, 0x7F800000u, 0xFF800000u};

/* What the multiplier gets: 128 elements, and as many or one more. `second` is null where `factor`
 * stands for it in all lanes. Narrow elements are bytes, wide ones words. */
typedef struct {
    const void *first, *second;
    Word factor;
} Factors;

/* Room for 128 elements that an index wraps around in. */
typedef union {
    uint8_t bytes[LANES];
    Word words[LANES];
} Window;

INLINE const void *window(const uint8_t *bytes, const Word *words, uint32_t size, uint32_t start,
                          Mode mode, Window *room) {
    start %= size;
    if (start <= size - LANES)
        return is_wide(mode) ? (const void *)(words + start) : (const void *)(bytes + start);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint32_t place = (start + lane) % size;
        if (is_wide(mode))
            room->words[lane] = words[place];
        else
            room->bytes[lane] = bytes[place];
    }
    return room;
}

INLINE const void *cyclic_window(uint32_t start, Mode mode, Window *room) {
    return window(registers.r_cyclic, registers.r_cyclic_wide, CYCLIC_SIZE, start, mode, room);
}

INLINE const void *stage_window(uint32_t start, Mode mode, Window *room) {
    return window(registers.r, registers.r_wide, STAGE_SIZE, start, mode, room);
}

INLINE Word stage_element(uint32_t index, Mode mode) {
    index %= STAGE_SIZE;
    return is_wide(mode) ? registers.r_wide[index] : registers.r[index];
}

/* The element in the low byte of a config register; wide, it is a signed number. */
INLINE Word low_byte(uint8_t cr, Mode mode) {
    const Word word = registers.scalars[CR + cr];
    if (mode == WIDE_INT) return (Word)(int32_t)(int8_t)word;
    return mode == WIDE_FLOAT ? word_of((float)(int8_t)word) : word & 0xFF;
}

/* The element by which `MULT.RC.VE` multiplies. */
INLINE Word element_factor(const MultInstruction *i, Mode mode) {
    return i->source < CR ? stage_element(registers.scalars[i->source], mode)
                          : low_byte((uint8_t)(i->source - CR), mode);
}

INLINE Factors factors_of(const MultInstruction *i, Mode mode, Window *first, Window *second) {
    const uint32_t start = registers.scalars[i->index];
    switch (i->op) {
    case OP_MULT_RC_VV:
        return (Factors){cyclic_window(start, mode, first),
                         stage_window((uint32_t)(LANES * i->source), mode, second), 0};
    case OP_MULT_RC_VE: {
        return (Factors){cyclic_window(start, mode, first), 0, element_factor(i, mode)};
    }
    case OP_MULT_RC_VS: {
        const void *elements = cyclic_window(start, mode, first);
        return (Factors){elements, elements, 0};
    }
    case OP_MULT_VE:
        return (Factors){stage_window(start, mode, first), 0, low_byte(i->source, mode)};
    default: {
        const Word element = stage_element(start, mode);
        for (int lane = 0; lane < LANES; lane++) {
            if (is_wide(mode))
                first->words[lane] = element;
            else
                first->bytes[lane] = (uint8_t)element;
        }
        return (Factors){first, 0, low_byte(i->source, mode)};
    }
    }
}

INLINE void multiply_bytes(Factors factors) {
    const Vector factor = wasm_i16x8_splat((int8_t)factors.factor);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        const Vector a = wasm_v128_load((const uint8_t *)factors.first + lane);
        Vector low, high;
        if (factors.second) {
            const Vector b = wasm_v128_load((const uint8_t *)factors.second + lane);
            low = wasm_i16x8_extmul_low_i8x16(a, b);
            high = wasm_i16x8_extmul_high_i8x16(a, b);
        } else {
            low = wasm_i16x8_mul(wasm_i16x8_extend_low_i8x16(a), factor);
            high = wasm_i16x8_mul(wasm_i16x8_extend_high_i8x16(a), factor);
        }
        Word *words = registers.mult_res + lane;
        wasm_v128_store(words, wasm_i32x4_extend_low_i16x8(low));
        wasm_v128_store(words + 4, wasm_i32x4_extend_high_i16x8(low));
        wasm_v128_store(words + 8, wasm_i32x4_extend_low_i16x8(high));
        wasm_v128_store(words + 12, wasm_i32x4_extend_high_i16x8(high));
    }
}

/* Products of finite elements. */
APART void multiply_half_words(const uint8_t *first, const uint8_t *second, Word number) {
    const Vector factor = wasm_i32x4_splat((int32_t)number), zero = opaque_zero();
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        const HalfWords a = half_words(wasm_v128_load(first + lane), &small_floats, zero);
        HalfWords b = {zero, zero};
        if (second) b = half_words(wasm_v128_load(second + lane), &small_floats, zero);
        for (int quarter = 0; quarter < 4; quarter++) {
            const Vector other = second ? quarter_of(b, quarter, zero) : factor;
            const Vector products = wasm_f32x4_mul(quarter_of(a, quarter, zero), other);
            wasm_v128_store(registers.mult_res + lane + 4 * quarter, products);
        }
    }
}

/* Products of elements are NaN only if one of them is: the canonical NaN. */
INLINE void multiply_small_floats(Factors factors) {
    if (has_half_words() && are_finite(factors.first, &small_floats)) {
        const Word number = factors.second ? 0 : number_of((uint8_t)factors.factor);
        if (factors.second ? are_finite(factors.second, &small_floats) : !is_nan_word(number)) {
            multiply_half_words(factors.first, factors.second, number);
            return;
        }
    }
    const ElementFormat format = format_of(control.option & EXPONENT_BITS);
    const Vector factor = numbers_of(wasm_i32x4_splat((int32_t)factors.factor), &format);
    const Vector canonical = wasm_i32x4_const_splat(0x7FC00000);
    for (int lane = 0; lane < LANES; lane += BYTES_PER_VECTOR) {
        const Vector first = wasm_v128_load((const uint8_t *)factors.first + lane);
        const Vector second =
            factors.second ? wasm_v128_load((const uint8_t *)factors.second + lane) : first;
        for (int quarter = 0; quarter < 4; quarter++) {
            const Vector a = numbers_of(widened(first, quarter), &format);
            const Vector b =
                factors.second ? numbers_of(widened(second, quarter), &format) : factor;
            const Vector products = wasm_f32x4_mul(a, b);
            const Vector is_number = wasm_f32x4_eq(products, products);
            wasm_v128_store(registers.mult_res + lane + 4 * quarter,
                            wasm_v128_bitselect(products, canonical, is_number));
        }
    }
}

INLINE void multiply_words(Factors factors, Mode mode) {
    const Vector factor = wasm_i32x4_splat((int32_t)factors.factor);
    Vector is_nan = wasm_i32x4_const_splat(0);
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
        const Vector a = wasm_v128_load((const Word *)factors.first + lane);
        const Vector b =
            factors.second ? wasm_v128_load((const Word *)factors.second + lane) : factor;
        const Vector products = mode == WIDE_INT ? wasm_i32x4_mul(a, b) : wasm_f32x4_mul(a, b);
        wasm_v128_store(registers.mult_res + lane, products);
        if (mode == WIDE_FLOAT) is_nan = wasm_v128_or(is_nan, wasm_f32x4_ne(products, products));
    }
    if (mode == WIDE_INT || !wasm_v128_any_true(is_nan)) return;
    for (int lane = 0; lane < LANES; lane++) {
        const Word a = ((const Word *)factors.first)[lane];
        const Word b = factors.second ? ((const Word *)factors.second)[lane] : factors.factor;
        if (is_nan_word(registers.mult_res[lane])) registers.mult_res[lane] = nan_of(a, b);
    }
}

/* A mask of 128 bits. */
typedef struct {
    uint64_t low, high;
} Mask;

/* The lowest bit of each group of a partition; of all elements for 0. */
INLINE Mask group_starts(uint32_t partition) {
    switch (partition) {
    case 16: return (Mask){0x0101010101010101u, 0x0101010101010101u};
    case 8: return (Mask){0x0001000100010001u, 0x0001000100010001u};
    case 4: return (Mask){0x0000000100000001u, 0x0000000100000001u};
    case 2: return (Mask){1, 1};
    default: return (Mask){1, 0};
    }
}

/* Shift by one element; zeros come in at the border of each group. */
INLINE Mask shifted_up(Mask mask, Mask starts) {
    return (Mask){mask.low << 1 & ~starts.low, (mask.high << 1 | mask.low >> 63) & ~starts.high};
}

INLINE Mask shifted_down(Mask mask, Mask starts) {
    /* The last element of a group is the one before the first of the next, modulo 128. */
    const Mask ends = {starts.low >> 1 | starts.high << 63, starts.high >> 1 | starts.low << 63};
    return (Mask){(mask.low >> 1 | mask.high << 63) & ~ends.low, mask.high >> 1 & ~ends.high};
}

RARE void pad_words(uint64_t low, uint64_t high, Word pad) {
    const Vector bits = wasm_u32x4_const(1, 2, 4, 8), pads = wasm_i32x4_splat((int32_t)pad);
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
        const uint64_t half = lane < 64 ? low : high;
        const Vector chosen = wasm_v128_and(wasm_i32x4_splat((int32_t)(half >> lane % 64)), bits);
        const Vector is_padded = wasm_i32x4_eq(chosen, wasm_i32x4_const_splat(0));
        Word *words = registers.mult_res + lane;
        wasm_v128_store(words, wasm_v128_bitselect(pads, wasm_v128_load(words), is_padded));
    }
}

INLINE Mask mask_of(const MultInstruction *i) {
    Mask mask;
    copy_bytes(&mask, registers.r_mask[i->mask], MASK_SIZE);
    return mask;
}

INLINE bool is_padding(const MultInstruction *i) {
    const Mask mask = mask_of(i);
    return registers.scalars[i->shift] || (mask.low & mask.high) != UINT64_MAX;
}

INLINE void pad(const MultInstruction *i) {
    const int32_t asked = (int32_t)registers.scalars[i->shift];
    Mask mask = mask_of(i);
    const DataStructure structure = structure_of(i->structure);
    const Mask starts = group_starts(structure.partition);
    const int32_t distance = asked < -3 ? -3 : asked > 3 ? 3 : asked;
    for (int32_t step = 0; step < distance; step++) mask = shifted_up(mask, starts);
    for (int32_t step = 0; step > distance; step--) mask = shifted_down(mask, starts);
    pad_words(mask.low, mask.high, PADS[structure.pad_mode]);
}

INLINE bool is_refused_mult(const MultInstruction *i, Mode mode) {
    const DataStructure structure = structure_of(i->structure);
    return !is_valid(structure) || (structure.pad_mode && !has_float_words(mode));
}

INLINE void execute_mult(const MultInstruction *i, Mode mode) {
    Window first, second;
    const Factors factors = factors_of(i, mode, &first, &second);
    if (mode == NARROW_INT)
        multiply_bytes(factors);
    else if (mode == NARROW_FLOAT)
        multiply_small_floats(factors);
    else
        multiply_words(factors, mode);
    if (is_padding(i)) pad(i);
}

#endif
