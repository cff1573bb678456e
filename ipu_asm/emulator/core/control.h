/* What the host and a core tell each other: every core has one `control`, filled before each call.
 *
 * The contract: a bundle is executed exactly as by the numpy machine, or it is not begun. In front
 * of a bundle that it cannot execute, a core returns HAND_BACK, with the state from before the
 * bundle.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include <stdint.h>

enum { MAX_PROGRAM = 1024, MAX_WATCHED = 32, TAIL_LENGTH = 1 << 18 };

typedef enum {
    LIMIT_REACHED,
    HALTED,
    STOPPED,   /* in front of an address that is marked, or of a break */
    HAND_BACK, /* the host is to execute the next bundle */
} Outcome;

/* Bits of `marks`. */
enum {
    MARK_STOP = 1,      /* stop in front of it */
    MARK_BREAK = 2,     /* ask its break slot whether to stop */
    MARK_HAND_BACK = 4, /* the core does not know it, or the host wants to see it */
    MARK_CHECK = 8,        /* stop in front of it if its check may hold */
    MARK_CHECK_AFTER = 16, /* keep the registers from before it; stop after it likewise */
};

/* Bits of the kinds of access. */
enum { READS = 1, WRITES = 2 };

/* A range of memory: bundles that access it are handed back. */
typedef struct {
    uint32_t start, end, kinds;
} WatchedRange;

typedef struct {
    uint32_t pc, last_pc;     /* of the next bundle, and of the one executed last */
    uint32_t limit, executed; /* numbers of bundles */
    uint32_t outcome;         /* an `Outcome` */
    uint32_t option;          /* of the machine, e.g. how far `aaq` shifts */
    uint32_t is_counting;     /* whether to fill `counts` */
    uint32_t is_tracing;      /* whether to fill `tail` */
    uint32_t is_counting_accesses; /* whether to fill `accesses` */
    uint32_t cycle_low, cycle_high; /* bundles that the machine has executed before */
    uint32_t watched_count;
    WatchedRange watched[MAX_WATCHED];
} Control;

static Control control;
static uint8_t marks[MAX_PROGRAM];
/* Executions of each bundle: went on to the next address, went elsewhere. */
static uint64_t counts[MAX_PROGRAM][2];
/* The address of each bundle of a call, whose limit must not exceed the length. */
static uint16_t tail[TAIL_LENGTH];

/* Whether an access must be handed back, because the host watches what it touches. */
static inline int is_watched(uint32_t start, uint32_t size, uint32_t kind) {
    for (uint32_t i = 0; i < control.watched_count; i++) {
        const WatchedRange *range = &control.watched[i];
        if ((range->kinds & kind) && start < range->end && start + size > range->start) return 1;
    }
    return 0;
}

#endif
