/* The slot xmem: rows between memory and registers. */
#ifndef XMEM_H
#define XMEM_H

#include "machine.h"

enum {
    NO_XMEM,
    OP_STR_ACC_REG,
    OP_LDR_MULT_REG,
    OP_LDR_CYCLIC_MULT_REG,
    OP_LDR_MULT_MASK_REG,
    OP_XMEM_STORE_AAQ_RESULT,
};

INLINE uint32_t xmem_size(const XmemInstruction *i) {
    return i->op == OP_STR_ACC_REG ? sizeof registers.r_acc : ROW;
}

INLINE bool xmem_writes(const XmemInstruction *i) {
    return i->op == OP_STR_ACC_REG || i->op == OP_XMEM_STORE_AAQ_RESULT;
}

INLINE uint32_t xmem_address(const XmemInstruction *i) {
    return registers.scalars[i->offset] + registers.scalars[CR + i->base];
}

/* Whether the host is to execute it: outside of the memory, an unaligned index, watched. */
INLINE bool xmem_is_refused(const XmemInstruction *i) {
    /* The sum of offset and base does not wrap. */
    const uint64_t address =
        (uint64_t)registers.scalars[i->offset] + registers.scalars[CR + i->base];
    if (address + xmem_size(i) > MEMORY_SIZE) return true;
    if (i->op == OP_LDR_CYCLIC_MULT_REG && registers.scalars[i->index] % ROW) return true;
    return control.watched_count &&
           is_watched((uint32_t)address, xmem_size(i), xmem_writes(i) ? WRITES : READS);
}

INLINE void count_xmem(const XmemInstruction *i) {
    count_access(xmem_address(i), xmem_size(i), xmem_writes(i) ? WRITES : READS);
}

INLINE void mark_dirty(uint32_t address, uint32_t size) {
    dirty_pages[address >> PAGE_BITS] = 1;
    dirty_pages[(address + size - 1) >> PAGE_BITS] = 1;
}

INLINE void execute_xmem(const XmemInstruction *i) {
    const uint32_t address = xmem_address(i);
    switch (i->op) {
    case OP_STR_ACC_REG:
        copy_bytes(memory + address, registers.r_acc, sizeof registers.r_acc);
        mark_dirty(address, sizeof registers.r_acc);
        break;
    case OP_LDR_MULT_REG: copy_bytes(registers.mult_stage[i->dest], memory + address, ROW); break;
    case OP_LDR_CYCLIC_MULT_REG:
        copy_bytes(registers.r_cyclic + registers.scalars[i->index] % CYCLIC_SIZE, memory + address,
                   ROW);
        break;
    case OP_LDR_MULT_MASK_REG: copy_bytes(registers.r_mask, memory + address, ROW); break;
    case OP_XMEM_STORE_AAQ_RESULT:
        copy_bytes(memory + address, registers.aaq_result, ROW);
        mark_dirty(address, ROW);
        break;
    }
}

#endif
