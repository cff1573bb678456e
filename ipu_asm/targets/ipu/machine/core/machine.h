/* The registers, the memory and the program of the IPU. The layout of the registers is that of
 * `description.py`, so that the host copies them as one block. */
#ifndef MACHINE_H
#define MACHINE_H

#include "control.h"
#include "words.h"

enum {
    ROW = 128,
    CYCLIC_SIZE = 512,
    MASK_SIZE = 16,
    MASKS = ROW / MASK_SIZE,
    MEMORY_SIZE = 1 << 21,
    PAGE_BITS = 12,
    PAGES = MEMORY_SIZE >> PAGE_BITS,
};

#include "accesses.h"

typedef enum { INT8, FP8_E4M3, FP8_E5M2, ELEMENT_TYPES } ElementType;

typedef struct {
    uint8_t mult_stage[3][ROW]; /* r0, r1, mem_bypass */
    uint8_t r_cyclic[CYCLIC_SIZE];
    uint8_t r_mask[MASKS][MASK_SIZE];
    Word r_acc[LANES];
    Word mult_res[LANES];
    uint8_t aaq_result[ROW];
    Word scalars[36];
} Registers;

/* Where the scalar registers begin. Operands of the type LcrIdx count through lr and cr. */
enum { LR = 0, CR = 16, AAQ = 32, DTYPE = CR + 15 };

/* A decoded instruction of each slot: the opcode of the core, 0 for none, and the codes of the
 * operands. `ipu.py` fills them; a test compares the order of the fields. */
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
} XmemInstruction;

typedef struct {
    uint8_t op, ra, cyclic, mask, shift, fixed, unused[2];
} MultInstruction;

typedef struct {
    uint8_t op, aaq, row, horizontal, vertical, offset, unused[2];
} AccInstruction;

typedef struct {
    uint8_t op, mode, post, cr, aaq, unused[3];
} AaqInstruction;

typedef struct {
    uint8_t op, a, b, unused;
    uint32_t label;
} CondInstruction;

typedef struct {
    BreakInstruction brk;
    LrInstruction lr[2];
    XmemInstruction xmem;
    MultInstruction mult;
    AccInstruction acc;
    AaqInstruction aaq;
    CondInstruction cond;
} Bundle;

static Registers registers __attribute__((aligned(64)));
static Bundle program[MAX_PROGRAM] __attribute__((aligned(64)));
static uint8_t memory[MEMORY_SIZE] __attribute__((aligned(4096)));
static uint8_t dirty_pages[PAGES];

/* Whether no word of r_acc is infinite or NaN: the fast path of FP8 additions needs it. */
typedef enum { UNKNOWN, ALL_FINITE, NOT_FINITE } Finiteness;
static Finiteness acc_finiteness;

#endif
