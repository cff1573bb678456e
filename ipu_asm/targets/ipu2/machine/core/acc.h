/* The slot acc: accumulates, aggregates and moves products. */
#ifndef ACC_H
#define ACC_H

#include "machine.h"

enum {
    NO_ACC,
    OP_ACC_ADD,
    OP_ACC_ADD_FIRST,
    OP_ACC_MAX,
    OP_ACC_MAX_FIRST,
    OP_ACC_SUB,
    OP_ACC_SUB_FIRST,
    OP_ACC_STRIDE,
    OP_AGG_SUM_FIRST,
    OP_AGG_SUM,
    OP_AGG_MAX_FIRST,
    OP_AGG_MAX,
    OP_ACC_RESHAPE,
};

/* Codes of strides; the host never passes a reserved one. */
enum { STRIDE_OFF, STRIDE_ON, STRIDE_ON_INV };
/* Codes of a reshape mask from here on are loop registers. */
enum { RESHAPE_INDICES = 8, FIRST_MASK_REGISTER = 8 };

static const Word LEAST_INT = 0x80000000u, LEAST_FLOAT = 0xFF800000u;

INLINE Vector sum_or_difference(Vector a, Vector b, bool subtracts, bool has_floats) {
    if (has_floats) return subtracts ? wasm_f32x4_sub(a, b) : wasm_f32x4_add(a, b);
    return subtracts ? wasm_i32x4_sub(a, b) : wasm_i32x4_add(a, b);
}

/* The accumulator, or zeros where it is the first instruction, plus or minus the products. */
INLINE void accumulate(bool subtracts, bool is_first, bool has_floats) {
    Vector results[LANES / WORDS_PER_VECTOR], is_nan = wasm_i32x4_const_splat(0);
    for (int i = 0; i < LANES / WORDS_PER_VECTOR; i++) {
        const Vector old =
            is_first ? wasm_i32x4_const_splat(0) : wasm_v128_load(registers.r_acc + 4 * i);
        const Vector product = wasm_v128_load(registers.mult_res + 4 * i);
        results[i] = sum_or_difference(old, product, subtracts, has_floats);
        if (has_floats) is_nan = wasm_v128_or(is_nan, wasm_f32x4_ne(results[i], results[i]));
    }
    if (!has_floats || !wasm_v128_any_true(is_nan)) {
        copy_bytes(registers.r_acc, results, sizeof results);
        return;
    }
    const Word *words = (const Word *)results;
    for (int lane = 0; lane < LANES; lane++) {
        const Word old = is_first ? 0 : registers.r_acc[lane];
        const bool is_number = !is_nan_word(words[lane]);
        registers.r_acc[lane] = is_number ? words[lane] : nan_of(old, registers.mult_res[lane]);
    }
}

INLINE void copy_products(bool has_floats) {
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
        const Vector words = wasm_v128_load(registers.mult_res + lane);
        wasm_v128_store(registers.r_acc + lane, has_floats ? quiet(words) : words);
    }
}

/* A product replaces a word only if it is greater, which no NaN is. */
INLINE void maximum(bool has_floats) {
    for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
        const Vector old = wasm_v128_load(registers.r_acc + lane);
        const Vector product = wasm_v128_load(registers.mult_res + lane);
        const Vector is_greater =
            has_floats ? wasm_f32x4_gt(product, old) : wasm_i32x4_gt(product, old);
        const Vector kept = has_floats ? quiet(old) : old;
        wasm_v128_store(registers.r_acc + lane, wasm_v128_bitselect(product, kept, is_greater));
    }
}

/* What `ACC.STRIDE` takes of mult_res, as rows of `width` elements, and where it puts it. */
typedef struct {
    uint32_t width, first_row, row_step, first_column, column_step, size, start;
} Stride;

INLINE Stride stride_of(const AccInstruction *i) {
    const uint32_t row_step = i->vertical != STRIDE_OFF ? 2 : 1;
    const uint32_t column_step = i->horizontal != STRIDE_OFF ? 2 : 1;
    return (Stride){
        .width = 16u << i->row,
        .first_row = i->vertical == STRIDE_ON_INV,
        .row_step = row_step,
        .first_column = i->horizontal == STRIDE_ON_INV,
        .column_step = column_step,
        .size = LANES / row_step / column_step,
        .start = registers.scalars[i->offset] % 4 * 32,
    };
}

INLINE void take_stride(Stride stride, bool has_floats) {
    Word *target = registers.r_acc + stride.start;
    for (uint32_t row = stride.first_row; row < LANES / stride.width; row += stride.row_step) {
        const Word *source = registers.mult_res + row * stride.width;
        for (uint32_t column = stride.first_column; column < stride.width;
             column += stride.column_step) {
            const Word word = source[column];
            *target++ = has_floats && is_nan_word(word) ? word | QUIET_BIT : word;
        }
    }
}

/* Where a reshape begins among its eight pairs of indices; more than eight faults. */
INLINE Word reshape_start(const AccInstruction *i) {
    const uint8_t code = i->row;
    return code < FIRST_MASK_REGISTER ? code : registers.scalars[code - FIRST_MASK_REGISTER];
}

INLINE uint8_t pair_byte(uint8_t pair, Word number) {
    return (uint8_t)(old_lr[2 * pair + number / 4] >> 8 * (number % 4));
}

/* Move words of mult_res from before the bundle: it comes before the multiplication. */
INLINE void reshape(const AccInstruction *i) {
    for (Word number = reshape_start(i); number < RESHAPE_INDICES; number++)
        registers.r_acc[pair_byte(i->dest, number)] =
            registers.mult_res[pair_byte(i->source, number)];
}

INLINE bool is_refused_reshape(const AccInstruction *i) {
    const Word start = reshape_start(i);
    if (start > RESHAPE_INDICES) return true;
    for (Word number = start; number < RESHAPE_INDICES; number++)
        if (pair_byte(i->source, number) >= LANES || pair_byte(i->dest, number) >= LANES)
            return true;
    return false;
}

/* The sum of words in double precision, one by one, and rounded once; the first NaN, be it a word
 * or made by the sum so far, is the result. */
INLINE Word sum_of_floats(uint32_t active, bool adds_old, Word old) {
    double total = 0;
    for (uint32_t lane = 0; lane < active; lane++)
        total += (double)float_of(registers.mult_res[lane]);
    if (adds_old) total += (double)float_of(old);
    if (total == total) return word_of((float)total);
    total = 0;
    for (uint32_t lane = 0; lane < active + adds_old; lane++) {
        const Word word = lane < active ? registers.mult_res[lane] : old;
        if (is_nan_word(word)) return word | QUIET_BIT;
        total += (double)float_of(word);
        if (total != total) break;
    }
    return CANONICAL_NAN;
}

INLINE Word sum_of_ints(uint32_t active, Word start) {
    for (uint32_t lane = 0; lane < active; lane++) start += registers.mult_res[lane];
    return start;
}

INLINE Word maximum_of(uint32_t active, Word best, bool has_floats) {
    for (uint32_t lane = 0; lane < active; lane++) {
        const Word word = registers.mult_res[lane];
        const bool is_greater =
            has_floats ? float_of(word) > float_of(best) : (int32_t)word > (int32_t)best;
        if (is_greater) best = word;
    }
    return has_floats && is_nan_word(best) ? best | QUIET_BIT : best;
}

INLINE void aggregate(const AccInstruction *i, bool has_floats) {
    const uint32_t active = structure_of(i->structure).active;
    Word *word = &registers.r_acc[old_lr[i->dest] % LANES];
    const bool is_first = i->op == OP_AGG_SUM_FIRST || i->op == OP_AGG_MAX_FIRST;
    if (i->op == OP_AGG_MAX_FIRST || i->op == OP_AGG_MAX) {
        const Word least = has_floats ? LEAST_FLOAT : LEAST_INT;
        *word = maximum_of(active, is_first ? least : *word, has_floats);
    } else if (has_floats) {
        *word = sum_of_floats(active, !is_first, *word);
    } else {
        *word = sum_of_ints(active, is_first ? 0 : *word);
    }
}

INLINE bool is_aggregate(const AccInstruction *i) {
    return i->op >= OP_AGG_SUM_FIRST && i->op <= OP_AGG_MAX;
}

INLINE bool is_refused_acc(const AccInstruction *i) {
    if (i->op == OP_ACC_RESHAPE) return is_refused_reshape(i);
    if (is_aggregate(i)) return !is_valid(structure_of(i->structure));
    if (i->op != OP_ACC_STRIDE) return false;
    const Stride stride = stride_of(i);
    return stride.start + stride.size > LANES;
}

/* Execute an instruction that sees the products of its bundle. */
INLINE void execute_acc(const AccInstruction *i, bool has_floats) {
    switch (i->op) {
    case OP_ACC_ADD: accumulate(false, false, has_floats); break;
    case OP_ACC_ADD_FIRST:
    case OP_ACC_MAX_FIRST: copy_products(has_floats); break;
    case OP_ACC_MAX: maximum(has_floats); break;
    case OP_ACC_SUB: accumulate(true, false, has_floats); break;
    case OP_ACC_SUB_FIRST: accumulate(true, true, has_floats); break;
    case OP_ACC_STRIDE: take_stride(stride_of(i), has_floats); break;
    case OP_ACC_RESHAPE: break;
    default: aggregate(i, has_floats); break;
    }
}

#endif
