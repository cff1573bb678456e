/* The slots load, store and acc_store: rows between memory and registers. */
#ifndef TRANSFERS_H
#define TRANSFERS_H

#include "machine.h"

enum { NO_LOAD, OP_LDR_MULT_REG, OP_LDR_CYCLIC_MULT_REG, OP_LDR_MULT_MASK_REG };
enum { NO_STORE, OP_STORE };

enum { STORE_SIZE = sizeof(Word) * LANES };

/* The first byte of a row; the sum of offset and base does not wrap. */
INLINE uint64_t address_of(const TransferInstruction *i, Mode mode) {
    const uint64_t row = (uint64_t)registers.scalars[i->offset] + registers.scalars[CR + i->base];
    return row * row_size(mode);
}

/* Whether the host is to execute it: no such row, a wrong index, watched. */
INLINE bool is_refused_transfer(const TransferInstruction *i, Mode mode, uint32_t size,
                                uint32_t kind) {
    const uint64_t address = address_of(i, mode);
    if (address >= (uint64_t)ROWS * row_size(mode)) return true;
    return control.watched_count && is_watched((uint32_t)address, size, kind);
}

INLINE uint32_t load_size(const TransferInstruction *i, Mode mode) {
    return i->op == OP_LDR_MULT_MASK_REG ? NARROW_ROW : row_size(mode);
}

INLINE void count_transfer(const TransferInstruction *i, Mode mode, uint32_t size, uint32_t kind) {
    count_access((uint32_t)address_of(i, mode), size, kind);
}

INLINE bool is_refused_load(const TransferInstruction *i, Mode mode) {
    if (is_refused_transfer(i, mode, load_size(i, mode), READS)) return true;
    const Word index = registers.scalars[i->index];
    return i->op == OP_LDR_CYCLIC_MULT_REG && (index % LANES || index >= CYCLIC_SIZE);
}

INLINE void load_mask(const TransferInstruction *i, Mode mode) {
    copy_bytes(registers.r_mask, memory + address_of(i, mode), NARROW_ROW);
}

/* Load elements. It comes after the multiplication, which sees those from before the bundle. */
INLINE void load_elements(const TransferInstruction *i, Mode mode) {
    const uint8_t *source = memory + address_of(i, mode);
    const Word start =
        i->op == OP_LDR_MULT_REG ? (Word)(LANES * i->dest) : registers.scalars[i->index];
    if (is_wide(mode)) {
        Word *words = i->op == OP_LDR_MULT_REG ? registers.r_wide : registers.r_cyclic_wide;
        copy_bytes(words + start, source, WIDE_ROW);
    } else {
        uint8_t *bytes = i->op == OP_LDR_MULT_REG ? registers.r : registers.r_cyclic;
        copy_bytes(bytes + start, source, NARROW_ROW);
    }
}

INLINE void store_words(const TransferInstruction *i, Mode mode, const Word *words) {
    const uint32_t address = (uint32_t)address_of(i, mode);
    copy_bytes(memory + address, words, STORE_SIZE);
    dirty_pages[address >> PAGE_BITS] = 1;
    dirty_pages[(address + STORE_SIZE - 1) >> PAGE_BITS] = 1;
}

#endif
