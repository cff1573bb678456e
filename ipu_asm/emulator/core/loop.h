/* The loop that runs bundles. Include it after the definitions of `Bundle`, `program`,
 * `registers`, `memory`, `accesses`, `dirty_pages`, `breaks` and `next_address`. */
#ifndef LOOP_H
#define LOOP_H

#include "checks.h"
#include "control.h"

/* Executes a bundle in a mode but for its branch. False if it is refused: nothing has changed. */
typedef bool Execute(const Bundle *bundle, int mode);

/* Executes iterations of a bundle that has just branched to itself; returns how many, less than
 * `most`. */
typedef uint32_t Repeat(const Bundle *bundle, uint32_t pc, uint32_t most, int mode);

/* Whether to stop in front of a marked bundle, which is not the first one of the run. */
INLINE bool stops_at(uint8_t mark, uint32_t pc, uint32_t last, uint32_t executed) {
    if (mark & MARK_STOP) return true;
    if ((mark & MARK_BREAK) && breaks(&program[pc].brk)) return true;
    return (mark & MARK_CHECK) && may_hold(checks_at[pc].in_front, last, pc, executed);
}

/* Whether the run ends in front of a marked bundle; the first one of a run is not asked to stop. */
INLINE bool heeds_mark(uint32_t pc, uint32_t last, uint32_t executed, Outcome *outcome) {
    const uint8_t mark = marks[pc];
    if (executed && stops_at(mark, pc, last, executed)) {
        *outcome = STOPPED;
        return true;
    }
    if (mark & MARK_CHECK_AFTER) keep_registers();
    *outcome = HAND_BACK;
    return mark & MARK_HAND_BACK;
}

/* Record iterations of a bundle that branches to itself, counted from `first` in this call. */
INLINE void record_repeated(uint32_t pc, uint32_t first, uint32_t number) {
    if (control.is_counting) counts[pc][1] += number;
    if (control.is_tracing)
        for (uint32_t i = 0; i < number; i++) tail[first + i] = (uint16_t)pc;
}

/* Run with a mode that is the same for all bundles: one copy of the loop for each call. */
INLINE void run_loop(Execute *execute_bundle, Repeat *repeat_bundle, int mode) {
    uint32_t pc = control.pc, last = control.last_pc, executed = 0;
    const uint32_t limit = control.limit;
    const bool may_repeat = !control.is_counting_accesses;
    uint32_t unrepeatable = MAX_PROGRAM; /* the address of a bundle that cannot be repeated now */
    const bool is_recording = control.is_counting || control.is_tracing;
    Outcome outcome = LIMIT_REACHED;
    for (; executed < limit; executed++) {
        if (pc >= MAX_PROGRAM) {
            outcome = HALTED;
            break;
        }
        if (marks[pc] && heeds_mark(pc, last, executed, &outcome)) break;
        outcome = LIMIT_REACHED;
        const Bundle *b = &program[pc];
        const uint32_t next = next_address(&b->cond, pc);
        if (!execute_bundle(b, mode)) {
            outcome = HAND_BACK;
            break;
        }
        if (is_recording) {
            if (control.is_counting) counts[pc][next != pc + 1]++;
            if (control.is_tracing) tail[executed] = (uint16_t)pc;
        }
        last = pc;
        pc = next;
        if ((marks[last] & MARK_CHECK_AFTER) &&
            may_hold(checks_at[last].after, last, pc, executed + 1)) {
            executed++;
            outcome = STOPPED;
            break;
        }
        if (pc != last) {
            unrepeatable = MAX_PROGRAM;
        } else if (pc != unrepeatable && !marks[pc] && may_repeat) {
            const uint32_t repeated = repeat_bundle(b, pc, limit - executed - 1, mode);
            if (!repeated) unrepeatable = pc;
            record_repeated(pc, executed + 1, repeated);
            executed += repeated;
        }
    }
    control.pc = pc;
    control.last_pc = last;
    control.executed = executed;
    control.outcome = outcome;
}

/* Where the host finds what it shares with the core. */
__attribute__((export_name("addresses"))) const void *const *addresses(void) {
    static const void *const all[] = {&control,    marks,      counts,    tail,
                                      program,     &registers, memory,    dirty_pages,
                                      check_words, checks_at,  &registers_before, accesses};
    return all;
}

#endif
