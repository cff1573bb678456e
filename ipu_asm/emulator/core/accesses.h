/* How often the blocks of memory were accessed. Include it after the definition of `MEMORY_SIZE`. */
#ifndef ACCESSES_H
#define ACCESSES_H

#include "control.h"

enum { BLOCK_BITS = 7, BLOCKS = MEMORY_SIZE >> BLOCK_BITS };

/* Accesses to each block: reads, writes. One that touches several blocks counts in each. */
static uint64_t accesses[BLOCKS][2];

static inline void count_access(uint32_t start, uint32_t size, uint32_t kind) {
    const uint32_t last = (start + size - 1) >> BLOCK_BITS;
    for (uint32_t block = start >> BLOCK_BITS; block <= last && block < BLOCKS; block++)
        accesses[block][kind == WRITES]++;
}

#endif
