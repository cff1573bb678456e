/* The slot aaq: activates the accumulator, with the functions whose results do not depend on a
 * mathematical library. The host executes the others. */
#ifndef AAQ_H
#define AAQ_H

#include "machine.h"

enum { NO_AAQ, OP_ACTIVATE_QUANTIZE };
enum { IDENTITY, RELU, RELU6, RECIPROCAL = 9, RSQRT = 10 };

INLINE bool is_supported(uint8_t function) {
    return function <= RELU6 || function == RECIPROCAL || function == RSQRT;
}

INLINE double activated(uint8_t function, double x) {
    switch (function) {
    case RELU: return x > 0 ? x : 0;
    case RELU6: return x < 0 ? 0 : x > 6 ? 6 : x;
    case RECIPROCAL: return x != 0 ? 1 / x : 0;
    case RSQRT: return x > 0 ? 1 / __builtin_sqrt(x) : 0;
    default: return x;
    }
}

/* A number as an integer, ties to even, within limits. */
INLINE int32_t rounded(double x, double least, double most) {
    const double nearest = __builtin_rint(x);
    return (int32_t)(nearest < least ? least : nearest > most ? most : nearest);
}

INLINE void activate_to_bytes(uint8_t function, uint32_t active) {
    uint8_t *bytes = (uint8_t *)registers.post_aaq_reg;
    clear_words(registers.post_aaq_reg);
    for (uint32_t lane = 0; lane < active; lane++) {
        const double x = (int32_t)registers.r_acc[lane];
        bytes[lane] = (uint8_t)rounded(activated(function, x), -128, 127);
    }
}

INLINE void activate_to_words(uint8_t function, uint32_t active, Mode mode) {
    for (uint32_t lane = 0; lane < active; lane++) {
        const Word word = registers.r_acc[lane];
        const double x = mode == WIDE_FLOAT ? (double)float_of(word) : (double)(int32_t)word;
        const double y = activated(function, x);
        Word result = CANONICAL_NAN;
        if (mode == WIDE_INT)
            result = (Word)rounded(y, INT32_MIN, INT32_MAX);
        else if (y == y)
            result = word_of((float)y);
        registers.post_aaq_reg[lane] = result;
    }
}

/* Quantized float32 may be NaN, which faults. */
INLINE bool is_refused_aaq(const AaqInstruction *i, Mode mode) {
    if (!is_valid(structure_of(i->structure)) || !is_supported(i->function)) return true;
    return mode == NARROW_FLOAT || (is_wide(mode) && (control.option & QUANTIZE));
}

INLINE void execute_aaq(const AaqInstruction *i, Mode mode) {
    const uint32_t active = structure_of(i->structure).active;
    if (is_wide(mode))
        activate_to_words(i->function, active, mode);
    else
        activate_to_bytes(i->function, active);
}

#endif
