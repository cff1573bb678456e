/* The registers, the memory and the program of IPU 2. The layout of the registers is that of
 * `description.py`, so that the host copies them as one block. */
#ifndef MACHINE_H
#define MACHINE_H

#include "control.h"
#include "words.h"

enum {
    NARROW_ROW = 128,
    WIDE_ROW = 512,
    ROWS = 16384,
    CYCLIC_SIZE = 512, /* elements */
    STAGE_SIZE = 256,  /* elements of r0 and r1 together */
    MASK_SIZE = 16,
    MASKS = 8,
    LRS = 16,
    LR_SLOTS = 3,
    MEMORY_SIZE = 1 << 23,
    PAGE_BITS = 12,
    PAGES = MEMORY_SIZE >> PAGE_BITS,
};

#include "accesses.h"

/* What elements and words are; `control.option` has the details. */
typedef enum { NARROW_INT, NARROW_FLOAT, WIDE_FLOAT, WIDE_INT } Mode;

/* `control.option`: the number of exponent bits, 0 for INT8; the wide mode; whether wide results
 * are quantized. */
enum { EXPONENT_BITS = 7, WIDE_FP32 = 8, WIDE_INT32 = 16, QUANTIZE = 32 };

INLINE bool is_wide(Mode mode) {
    return mode == WIDE_FLOAT || mode == WIDE_INT;
}

INLINE bool has_float_words(Mode mode) {
    return mode == NARROW_FLOAT || mode == WIDE_FLOAT;
}

INLINE uint32_t row_size(Mode mode) {
    return is_wide(mode) ? WIDE_ROW : NARROW_ROW;
}

typedef struct {
    uint8_t r[STAGE_SIZE];
    uint8_t mem_bypass[NARROW_ROW];
    uint8_t r_cyclic[CYCLIC_SIZE];
    uint8_t r_mask[MASKS][MASK_SIZE];
    Word r_acc[LANES];
    Word mult_res[LANES];
    Word post_aaq_reg[LANES];
    Word r_wide[STAGE_SIZE];
    Word r_cyclic_wide[CYCLIC_SIZE];
    Word scalars[2 * LRS];
} Registers;

/* Where the config registers begin. Operands of the type LcrIdx count through lr and cr. */
enum { CR = LRS };

/* A decoded instruction of each slot: the opcode of the core, 0 for none, and the codes of the
 * operands. `ipu2.py` fills them; a test compares the order of the fields. */
typedef struct {
    uint8_t op, reg, unused[2];
    uint32_t value;
} BreakInstruction;

typedef struct {
    uint8_t op, dest, a, b;
    uint32_t value;
} LrInstruction;

typedef struct {
    uint8_t op, dest, offset, base, index, unused[3];
} TransferInstruction;

typedef struct {
    uint8_t op, index, source, mask, shift, structure, unused[2];
} MultInstruction;

typedef struct {
    uint8_t op, row, horizontal, vertical, offset, source, dest, structure;
} AccInstruction;

typedef struct {
    uint8_t op, function, structure, unused;
} AaqInstruction;

typedef struct {
    uint8_t op, a, b, unused;
    uint32_t label;
} CondInstruction;

typedef struct {
    BreakInstruction brk;
    LrInstruction lr[LR_SLOTS];
    TransferInstruction load;
    MultInstruction mult;
    AccInstruction acc;
    AaqInstruction aaq;
    TransferInstruction store, acc_store;
    CondInstruction cond;
} Bundle;

static Registers registers __attribute__((aligned(64)));
static Bundle program[MAX_PROGRAM] __attribute__((aligned(64)));
static uint8_t memory[MEMORY_SIZE] __attribute__((aligned(4096)));
static uint8_t dirty_pages[PAGES];
/* The loop registers from before the bundle. */
static Word old_lr[LRS];

/* A data structure word. */
typedef struct {
    uint32_t active, partition, pad_mode;
} DataStructure;

INLINE DataStructure structure_of(uint8_t cr) {
    const Word word = registers.scalars[CR + cr];
    const uint32_t valid = word & 0xFF;
    return (DataStructure){valid < LANES ? valid : LANES, word >> 8 & 0x1F, word >> 13 & 0x3};
}

INLINE bool is_valid(DataStructure structure) {
    const uint32_t partition = structure.partition;
    const bool is_power = partition == 2 || partition == 4 || partition == 8 || partition == 16;
    return (partition == 0 || is_power) && structure.pad_mode != 3;
}

/* The bits of a NaN that an operation on two words returns. */
INLINE Word nan_of(Word a, Word b) {
    if (is_nan_word(a)) return a | QUIET_BIT;
    return is_nan_word(b) ? b | QUIET_BIT : CANONICAL_NAN;
}

/* Words that are moved: NaNs become quiet. */
INLINE Vector quiet(Vector words) {
    const Vector is_nan = wasm_f32x4_ne(words, words);
    return wasm_v128_or(words, wasm_v128_and(is_nan, wasm_i32x4_splat((int32_t)QUIET_BIT)));
}

#endif
