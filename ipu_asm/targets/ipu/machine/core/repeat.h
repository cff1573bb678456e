/* A bundle that loads a row, multiplies it by an element, accumulates and branches to itself. */
#ifndef REPEAT_H
#define REPEAT_H

#include "lr.h"
#include "mult.h"
#include "row_sums.h"
#include "xmem.h"

/* Whether the bundle adds a multiple of the row that it loads to the accumulator, and the rest of
 * what it does is to step registers that say where the row and the factor are. */
INLINE bool sums_rows(const Bundle *b, ElementType type) {
    if (type >= ELEMENT_TYPES || b->xmem.op != OP_LDR_CYCLIC_MULT_REG || b->mult.op != OP_MULT_VE ||
        b->acc.op != OP_ACC || b->aaq.op)
        return false;
    uint32_t stepped = 0;
    for (int i = 0; i < 2; i++) {
        if (b->lr[i].op > OP_INCR) return false;
        if (b->lr[i].op) stepped |= 1u << b->lr[i].dest;
    }
    const Word *scalars = registers.scalars;
    const uint64_t fixed = 1ull << b->xmem.index | 1ull << b->mult.cyclic | 1ull << b->mult.mask |
                           1ull << b->mult.shift;
    if (fixed & stepped) return false;
    const Mask mask = mask_of(&b->mult);
    const uint32_t distance = scalars[b->mult.cyclic] - scalars[b->xmem.index];
    return distance % CYCLIC_SIZE == 0 && !(mask.low | mask.high);
}

/* Functions of their own, so that their loops have all registers of the processor. */
APART void add_rows_int8(uint32_t count) {
    add_int_rows(registers.r_acc, count);
}
APART bool add_rows_e4m3(uint32_t count) {
    const SmallFloats floats = small_floats(FP8_E4M3);
    return add_float_rows(registers.r_acc, count, &floats);
}
APART bool add_rows_e5m2(uint32_t count) {
    const SmallFloats floats = small_floats(FP8_E5M2);
    return add_float_rows(registers.r_acc, count, &floats);
}

INLINE bool add_rows(uint32_t count, ElementType type) {
    if (type == FP8_E4M3) return add_rows_e4m3(count);
    if (type == FP8_E5M2) return add_rows_e5m2(count);
    add_rows_int8(count);
    return true;
}

/* Take the row and the factor of an iteration. False if it does not take the branch, or is left to
 * others: refused, or with an element that is not finite. */
INLINE bool take_row(const Bundle *b, uint32_t number, ElementType type) {
    if (xmem_is_refused(&b->xmem)) return false;
    const uint8_t *elements = memory + xmem_address(&b->xmem);
    const uint8_t factor =
        registers.mult_stage[b->mult.ra][registers.scalars[b->mult.fixed] % LANES];
    rows.elements[number] = elements;
    if (type == INT8) {
        rows.ints[number] = (int8_t)factor;
        return true;
    }
    rows.floats[number] = wasm_i32x4_splat((int32_t)element_word(factor, type));
    return is_finite_element(factor, type);
}

/* Execute iterations of a bundle that has just branched to itself, without their products in
 * mult_res: at least one more will be executed that is not refused. Returns their number, less than
 * `most`. */
INLINE uint32_t repeat(const Bundle *b, uint32_t pc, uint32_t most, ElementType type) {
    if (!sums_rows(b, type)) return 0;
    Word *scalars = registers.scalars;
    const Stepper steppers[] = {
        {scalars + b->lr[0].dest, scalars[b->lr[0].dest], b->lr[0].value, UINT32_MAX},
        {scalars + b->lr[1].dest, scalars[b->lr[1].dest], b->lr[1].value, UINT32_MAX},
    };
    if (most > MOST_ROWS) most = MOST_ROWS;
    uint32_t count = 0;
    while (count < most && next_address(&b->cond, pc) == pc) {
        if (b->lr[0].op) step_to(&steppers[0], count + 1);
        if (b->lr[1].op) step_to(&steppers[1], count + 1);
        if (!take_row(b, count, type)) break;
        count++;
    }
    /* The last one is executed as others are, which leaves its products. */
    const uint32_t even = count ? (count - 1) & ~1u : 0;
    const uint32_t executed = add_rows(even, type) ? even : 0;
    if (b->lr[0].op) step_to(&steppers[0], executed);
    if (b->lr[1].op) step_to(&steppers[1], executed);
    return executed;
}

#endif
