/* A bundle that loads a row, multiplies it by an element, accumulates and branches to itself. */
#ifndef REPEAT_H
#define REPEAT_H

#include "lr.h"
#include "mult.h"
#include "row_sums.h"
#include "transfers.h"

/* What an instruction adds to its register in each iteration. False if that is not a constant. */
INLINE bool find_stepper(const LrInstruction *i, Stepper *stepper) {
    Word *scalar = registers.scalars + i->dest;
    *stepper = (Stepper){scalar, *scalar, i->value, UINT32_MAX};
    if (i->op == OP_DEC) stepper->step = 0 - i->value;
    if (i->op == OP_INCR_MOD_POW2) {
        if (i->b < CR) return false;
        stepper->step = registers.scalars[i->b];
        stepper->ring = (1u << i->value) - 1;
    }
    return i->op == OP_INC || i->op == OP_DEC || i->op == OP_INCR_MOD_POW2;
}

/* Whether the bundle adds a multiple of the row in r_cyclic to the accumulator, then loads another
 * row there, and the rest of what it does is to step registers. */
INLINE bool sums_rows(const Bundle *b, Mode mode) {
    if (is_wide(mode) || (mode == NARROW_FLOAT && !has_half_words())) return false;
    if (b->load.op != OP_LDR_CYCLIC_MULT_REG || b->mult.op != OP_MULT_RC_VE ||
        b->acc.op != OP_ACC_ADD || b->aaq.op || b->store.op || b->acc_store.op)
        return false;
    uint32_t stepped = 0;
    for (int i = 0; i < LR_SLOTS; i++)
        if (b->lr[i].op) stepped |= 1u << b->lr[i].dest;
    const uint32_t fixed = 1u << b->load.index | 1u << b->mult.index | 1u << b->mult.shift;
    if (fixed & stepped) return false;
    const Word *scalars = registers.scalars;
    return scalars[b->load.index] == scalars[b->mult.index] && !is_padding(&b->mult) &&
           !is_refused_mult(&b->mult, mode);
}

/* Functions of their own, so that their loops have all registers of the processor. */
APART void add_rows_of_ints(uint32_t count) {
    add_int_rows(registers.r_acc, count);
}
APART bool add_rows_of_floats(uint32_t count) {
    const SmallFloats type = small_floats;
    return add_float_rows(registers.r_acc, count, &type);
}

INLINE bool add_rows(uint32_t count, Mode mode) {
    if (mode == NARROW_FLOAT) return add_rows_of_floats(count);
    add_rows_of_ints(count);
    return true;
}

/* Take the factor of an iteration, whose row is known, and the row that it loads. False if it is
 * left to others: refused, or with an element that is not finite. */
INLINE bool take_row(const Bundle *b, uint32_t number, Mode mode) {
    if (is_refused_load(&b->load, mode)) return false;
    rows.elements[number + 1] = memory + address_of(&b->load, mode);
    const Word factor = element_factor(&b->mult, mode);
    if (mode == NARROW_INT) {
        rows.ints[number] = (int8_t)factor;
        return true;
    }
    const Word value = number_of((uint8_t)factor);
    rows.floats[number] = wasm_i32x4_splat((int32_t)value);
    return !is_nan_word(value);
}

/* Execute iterations of a bundle that has just branched to itself, without their products in
 * mult_res: at least one more will be executed that is not refused. Returns their number, less than
 * `most`. */
INLINE uint32_t repeat(const Bundle *b, uint32_t pc, uint32_t most, Mode mode) {
    if (!sums_rows(b, mode)) return 0;
    Stepper steppers[LR_SLOTS];
    for (int i = 0; i < LR_SLOTS; i++)
        if (b->lr[i].op && !find_stepper(&b->lr[i], &steppers[i])) return 0;
    uint8_t *target = registers.r_cyclic + registers.scalars[b->load.index];
    rows.elements[0] = target;
    if (most > MOST_ROWS) most = MOST_ROWS;
    uint32_t count = 0;
    while (count < most && next_address(&b->cond, pc) == pc) {
        for (int i = 0; i < LR_SLOTS; i++)
            if (b->lr[i].op) step_to(&steppers[i], count + 1);
        if (!take_row(b, count, mode)) break;
        count++;
    }
    /* The last one is executed as others are, which leaves its products. */
    const uint32_t even = count ? (count - 1) & ~1u : 0;
    const uint32_t executed = add_rows(even, mode) ? even : 0;
    if (executed) copy_bytes(target, rows.elements[executed], NARROW_ROW);
    for (int i = 0; i < LR_SLOTS; i++)
        if (b->lr[i].op) step_to(&steppers[i], executed);
    return executed;
}

#endif
