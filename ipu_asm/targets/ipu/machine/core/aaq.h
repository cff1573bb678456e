/* The slot aaq: reduces the accumulator to one word, or quantizes it to bytes. */
#ifndef AAQ_H
#define AAQ_H

#include "machine.h"

enum { NO_AAQ, OP_AGG, OP_AAQ };
enum { AGG_SUM, AGG_MAX };
enum { POST_VALUE, POST_VALUE_CR, POST_INV, POST_INV_SQRT };

/* Shift the words right and clamp them to int8. */
INLINE void quantize(uint32_t shift) {
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t word = (int32_t)registers.r_acc[lane] >> shift;
        const int32_t clamped = word < -128 ? -128 : word > 127 ? 127 : word;
        registers.aaq_result[lane] = (uint8_t)clamped;
    }
}

/* 0 where the inverse is undefined. */
INLINE double inverse(double value, uint8_t post) {
    if (post == POST_INV) return value != 0 ? 1.0 / value : 0.0;
    return value > 0 ? 1.0 / __builtin_sqrt(value) : 0.0;
}

/* Whether an aggregate of int32 words may not fit into a word. */
INLINE bool agg_may_overflow(const AaqInstruction *i) {
    return i->post == POST_VALUE_CR || (i->post == POST_VALUE && i->mode == AGG_SUM);
}

/* The aggregate of int32 words; false if it does not fit into 32 bits. */
INLINE bool agg_ints(const AaqInstruction *i, Word *result) {
    const Word *scalars = registers.scalars;
    int64_t value = i->mode == AGG_MAX ? (int32_t)scalars[AAQ + i->aaq] : 0;
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t word = (int32_t)registers.r_acc[lane];
        if (i->mode == AGG_SUM)
            value += word;
        else if (word > value)
            value = word;
    }
    if (i->post == POST_INV || i->post == POST_INV_SQRT) {
        *result = word_of((float)inverse((double)value, i->post));
        return true;
    }
    if (i->post == POST_VALUE_CR) {
        const int32_t factor = (int32_t)scalars[CR + i->cr];
        /* Beyond this only a factor of zero makes it fit; -2^31 is 2^31 times -1. */
        if (factor && (value < INT32_MIN || value > -(int64_t)INT32_MIN)) return false;
        value = factor ? value * factor : 0;
    }
    *result = (Word)value;
    return value == (int32_t)value;
}

/* The sum in double precision, word by word from 0.0 on; a NaN as its word in `nan`, else 0. */
INLINE double sum_of_floats(Word *nan) {
    double total = 0;
    for (int lane = 0; lane < LANES; lane++) total += (double)float_of(registers.r_acc[lane]);
    if (total == total) return total;
    total = 0;
    for (int lane = 0; lane < LANES && !*nan; lane++) {
        const Word word = registers.r_acc[lane];
        if (is_nan_word(word))
            *nan = word | QUIET_BIT;
        else
            total += (double)float_of(word);
        if (total != total) *nan = CANONICAL_NAN;
    }
    return total;
}

/* The maximum of the words and then the aaq register; of equal ones the first. A NaN that comes
 * first stays, in `nan`; a later one is ignored. */
INLINE double maximum_of_floats(Word old, Word *nan) {
    Word best = registers.r_acc[0];
    if (is_nan_word(best)) *nan = best | QUIET_BIT;
    for (int lane = 1; lane < LANES; lane++) {
        const Word word = registers.r_acc[lane];
        if (float_of(word) > float_of(best)) best = word;
    }
    return (double)float_of(float_of(old) > float_of(best) ? old : best);
}

/* The aggregate of float32 words, rounded once. */
INLINE Word agg_floats(const AaqInstruction *i) {
    const Word factor = registers.scalars[CR + i->cr];
    Word nan = 0;
    double value = i->mode == AGG_MAX ? maximum_of_floats(registers.scalars[AAQ + i->aaq], &nan)
                                      : sum_of_floats(&nan);
    if (i->post == POST_INV_SQRT && nan) return 0; /* not above zero */
    if (nan) return nan;
    if (i->post == POST_INV || i->post == POST_INV_SQRT)
        return word_of((float)inverse(value, i->post));
    if (i->post == POST_VALUE_CR) {
        if (is_nan_word(factor)) return factor | QUIET_BIT;
        value *= (double)float_of(factor);
        if (value != value) return CANONICAL_NAN;
    }
    return word_of((float)value);
}

#endif
