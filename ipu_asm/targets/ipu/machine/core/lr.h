/* The slots break, lr and cond: scalar registers and the program counter. */
#ifndef LR_H
#define LR_H

#include "machine.h"

enum { NO_BREAK, OP_BREAK, OP_BREAK_IFEQ };
enum { NO_LR, OP_INCR, OP_SET, OP_ADD, OP_SUB };
enum { NO_COND, OP_BEQ, OP_BNE, OP_BLT, OP_BNZ, OP_BZ, OP_B, OP_BR, OP_BKPT };

INLINE bool breaks(const BreakInstruction *i) {
    return i->op == OP_BREAK || (i->op == OP_BREAK_IFEQ && registers.scalars[i->reg] == i->value);
}

/* The new value of the destination. `add` and `sub` read the registers from before the bundle, and
 * so does `incr`: the other lr instruction writes another register. */
INLINE Word lr_result(const LrInstruction *i) {
    switch (i->op) {
    case OP_INCR: return registers.scalars[i->dest] + i->value;
    case OP_SET: return i->value;
    case OP_ADD: return registers.scalars[i->a] + registers.scalars[i->b];
    case OP_SUB: return registers.scalars[i->a] - registers.scalars[i->b];
    default: return registers.scalars[i->dest];
    }
}

/* The address of the next bundle, from the registers before the bundle. */
INLINE uint32_t next_address(const CondInstruction *i, uint32_t pc) {
    const Word a = registers.scalars[i->a], b = registers.scalars[i->b];
    switch (i->op) {
    case OP_B: return i->label;
    case OP_BZ:
    case OP_BEQ: return a == b ? i->label : pc + 1;
    case OP_BNZ:
    case OP_BNE: return a != b ? i->label : pc + 1;
    case OP_BLT: return (int32_t)a < (int32_t)b ? i->label : pc + 1;
    case OP_BR: return a;
    case OP_BKPT: return MAX_PROGRAM;
    default: return pc + 1;
    }
}

#endif
