/* The slots break, lr and cond: scalar registers and the program counter. */
#ifndef LR_H
#define LR_H

#include "machine.h"

enum { NO_BREAK, OP_BREAK, OP_BREAK_IFEQ };
enum { NO_LR, OP_SET, OP_ADD, OP_SUB, OP_INCR_MOD_POW2, OP_INC, OP_DEC, OP_ADDB, OP_ADDBI };
enum { NO_COND, OP_BEQ, OP_BNE, OP_BLT, OP_BGE, OP_BR, OP_BKPT };

INLINE bool breaks(const BreakInstruction *i) {
    const Word limited = i->value & 0xFFFF;
    return i->op == OP_BREAK || (i->op == OP_BREAK_IFEQ && registers.scalars[i->reg] == limited);
}

/* A register from before the bundle; no instruction writes a cr. */
INLINE Word old_scalar(uint8_t number) {
    return number < CR ? old_lr[number] : registers.scalars[number];
}

/* Add a signed byte to the four unsigned bytes of a word, each within its range. */
INLINE Word add_to_bytes(Word word, Word addend) {
    Word result = 0;
    for (int byte = 0; byte < 4; byte++) {
        const int32_t sum = (int32_t)(word >> 8 * byte & 0xFF) + (int8_t)addend;
        result |= (Word)(sum < 0 ? 0 : sum > 255 ? 255 : sum) << 8 * byte;
    }
    return result;
}

INLINE void execute_lr(const LrInstruction *i) {
    Word *scalars = registers.scalars;
    switch (i->op) {
    case OP_SET: scalars[i->dest] = scalars[CR + i->a]; break;
    case OP_ADD: scalars[i->dest] = old_lr[i->a] + old_scalar(i->b); break;
    case OP_SUB: scalars[i->dest] = old_lr[i->a] - old_scalar(i->b); break;
    case OP_INCR_MOD_POW2:
        scalars[i->dest] = (old_lr[i->dest] + old_scalar(i->b)) & ((1u << i->value) - 1);
        break;
    case OP_INC: scalars[i->dest] = old_lr[i->dest] + i->value; break;
    case OP_DEC: scalars[i->dest] = old_lr[i->dest] - i->value; break;
    case OP_ADDB:
    case OP_ADDBI: {
        const Word addend = i->op == OP_ADDB ? old_scalar(i->b) : i->value;
        for (int number = 2 * i->dest; number < 2 * i->dest + 2; number++)
            scalars[number] = add_to_bytes(old_lr[number], addend);
        break;
    }
    }
}

/* The address of the next bundle, from the registers before the bundle. */
INLINE uint32_t next_address(const CondInstruction *i, uint32_t pc) {
    const Word a = registers.scalars[i->a], b = registers.scalars[i->b];
    switch (i->op) {
    case OP_BEQ: return a == b ? i->label : pc + 1;
    case OP_BNE: return a != b ? i->label : pc + 1;
    case OP_BLT: return (int32_t)a < (int32_t)b ? i->label : pc + 1;
    case OP_BGE: return (int32_t)a >= (int32_t)b ? i->label : pc + 1;
    case OP_BR: return a;
    case OP_BKPT: return MAX_PROGRAM;
    default: return pc + 1;
    }
}

#endif
