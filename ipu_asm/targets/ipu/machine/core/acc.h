/* The slot acc: accumulates products. */
#ifndef ACC_H
#define ACC_H

#include "machine.h"

enum {
    NO_ACC,
    OP_ACC,
    OP_ACC_FIRST,
    OP_RESET_ACC,
    OP_ACC_ADD_AAQ,
    OP_ACC_ADD_AAQ_FIRST,
    OP_ACC_MAX,
    OP_ACC_MAX_FIRST,
    OP_ACC_STRIDE,
};

/* Codes of strides; the host never passes a reserved one. */
enum { STRIDE_OFF, STRIDE_ON, STRIDE_ON_INV, STRIDE_ON_EXPAND, STRIDE_ON_INV_EXPAND };

INLINE bool acc_is_finite(void) {
    if (acc_finiteness == UNKNOWN) {
        Vector special = wasm_i32x4_const_splat(0);
        const Vector infinity = wasm_i32x4_const_splat(0x7F800000);
        for (int lane = 0; lane < LANES; lane += WORDS_PER_VECTOR) {
            const Vector exponents =
                wasm_v128_and(wasm_v128_load(registers.r_acc + lane), infinity);
            special = wasm_v128_or(special, wasm_i32x4_eq(exponents, infinity));
        }
        acc_finiteness = wasm_v128_any_true(special) ? NOT_FINITE : ALL_FINITE;
    }
    return acc_finiteness == ALL_FINITE;
}

INLINE void add_ints(void) {
    for (int lane = 0; lane < LANES; lane++) registers.r_acc[lane] += registers.mult_res[lane];
}

/* A sum of two float32 in float32 is the sum in double precision, rounded. */
INLINE void add_floats(void) {
    Vector sums[LANES / WORDS_PER_VECTOR], is_nan = wasm_i32x4_const_splat(0);
    for (int i = 0; i < LANES / WORDS_PER_VECTOR; i++) {
        sums[i] = wasm_f32x4_add(wasm_v128_load(registers.r_acc + 4 * i),
                                 wasm_v128_load(registers.mult_res + 4 * i));
        is_nan = wasm_v128_or(is_nan, wasm_f32x4_ne(sums[i], sums[i]));
    }
    if (!wasm_v128_any_true(is_nan)) {
        copy_bytes(registers.r_acc, sums, sizeof sums);
        return;
    }
    for (int lane = 0; lane < LANES; lane++) {
        const Word operands[] = {registers.r_acc[lane], registers.mult_res[lane]};
        registers.r_acc[lane] = sum_of(operands, 2);
    }
}

INLINE void add_with_aaq(Word aaq, bool is_first, bool has_floats) {
    for (int lane = 0; lane < LANES; lane++) {
        const Word old = registers.r_acc[lane], product = registers.mult_res[lane];
        if (!has_floats) {
            registers.r_acc[lane] = (is_first ? 0 : old) + product + aaq;
            continue;
        }
        const double start = is_first ? 0 : (double)float_of(old);
        const double added = is_first ? (double)float_of(product) : start + float_of(product);
        const double total = added + (double)float_of(aaq);
        const Word operands[] = {old, product, aaq};
        registers.r_acc[lane] =
            total == total ? word_of((float)total) : sum_of(operands + is_first, 3 - is_first);
    }
}

/* A later value replaces an earlier one only if it is greater, which no NaN is. */
INLINE Word greater_int(Word a, Word b) {
    return (int32_t)b > (int32_t)a ? b : a;
}
INLINE Word greater_float(Word a, Word b) {
    return float_of(b) > float_of(a) ? b : a;
}

INLINE void maximum(Word aaq, bool is_first, bool has_floats) {
    for (int lane = 0; lane < LANES; lane++) {
        const Word product = registers.mult_res[lane];
        const Word old = is_first ? product : registers.r_acc[lane];
        if (!has_floats) {
            registers.r_acc[lane] = greater_int(greater_int(old, product), aaq);
            continue;
        }
        const Word best = greater_float(greater_float(old, product), aaq);
        registers.r_acc[lane] = is_nan_word(best) ? best | QUIET_BIT : best;
    }
}

/* What `acc.stride` takes of mult_res, as rows of `width` elements, and where it puts it. */
typedef struct {
    uint32_t width, first_row, row_step, first_column, column_step, row_length, start;
} Stride;

INLINE Stride stride_of(const AccInstruction *i) {
    const bool is_horizontal = i->horizontal != STRIDE_OFF, is_vertical = i->vertical != STRIDE_OFF;
    const bool is_expanded = i->horizontal >= STRIDE_ON_EXPAND;
    const bool takes_odd = i->horizontal == STRIDE_ON_INV || i->horizontal == STRIDE_ON_INV_EXPAND;
    const uint32_t width = 8u << i->row;
    return (Stride){
        .width = width,
        .first_row = i->vertical == STRIDE_ON_INV,
        .row_step = is_vertical ? 2 : 1,
        .first_column = takes_odd,
        .column_step = is_horizontal ? 2 : 1,
        .row_length = is_horizontal && !is_expanded ? width / 2 : width,
        .start = registers.scalars[i->offset] % 4 * 32,
    };
}

/* Whether the result runs past the end of r_acc. */
INLINE bool acc_is_refused(const AccInstruction *i) {
    if (i->op != OP_ACC_STRIDE) return false;
    const Stride stride = stride_of(i);
    const uint32_t rows = LANES / stride.width / stride.row_step;
    return stride.start + rows * stride.row_length > LANES;
}

INLINE void take_stride(Stride stride) {
    Word *target = registers.r_acc + stride.start;
    for (uint32_t row = stride.first_row; row < LANES / stride.width; row += stride.row_step) {
        const Word *source = registers.mult_res + row * stride.width;
        uint32_t taken = 0;
        for (uint32_t column = stride.first_column; column < stride.width;
             column += stride.column_step)
            target[taken++] = source[column];
        while (taken < stride.row_length) target[taken++] = 0;
        target += stride.row_length;
    }
}

/* An acc instruction whose aaq register has the value from before the bundle. */
INLINE void execute_acc(const AccInstruction *i, bool has_floats) {
    const Word aaq = registers.scalars[AAQ + i->aaq];
    acc_finiteness = UNKNOWN;
    switch (i->op) {
    case OP_ACC:
        if (has_floats)
            add_floats();
        else
            add_ints();
        break;
    case OP_ACC_FIRST:
        copy_bytes(registers.r_acc, registers.mult_res, sizeof registers.r_acc);
        break;
    case OP_RESET_ACC: clear_words(registers.r_acc); break;
    case OP_ACC_ADD_AAQ: add_with_aaq(aaq, false, has_floats); break;
    case OP_ACC_ADD_AAQ_FIRST: add_with_aaq(aaq, true, has_floats); break;
    case OP_ACC_MAX: maximum(aaq, false, has_floats); break;
    case OP_ACC_MAX_FIRST: maximum(aaq, true, has_floats); break;
    case OP_ACC_STRIDE: take_stride(stride_of(i)); break;
    }
}

#endif
