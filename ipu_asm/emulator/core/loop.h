/* The loop that runs bundles. Include it behind the definitions of `Bundle`, `program`,
 * `registers`, `memory`, `dirty_pages`, `breaks` and `next_address`. */
#ifndef LOOP_H
#define LOOP_H

#include "control.h"

/* Executes a bundle in a mode but for its branch. False if it is refused: nothing has changed. */
typedef bool Execute(const Bundle *bundle, int mode);

/* Whether the run ends in front of a marked bundle; the first one of a run is not asked to stop. */
INLINE bool heeds_mark(uint32_t pc, bool is_first, Outcome *outcome) {
    const uint8_t mark = marks[pc];
    if (!is_first && ((mark & MARK_STOP) || ((mark & MARK_BREAK) && breaks(&program[pc].brk)))) {
        *outcome = STOPPED;
        return true;
    }
    *outcome = HAND_BACK;
    return mark & MARK_HAND_BACK;
}

/* Run with a mode that is the same for all bundles: one copy of the loop for each call. */
INLINE void run_loop(Execute *execute_bundle, int mode) {
    uint32_t pc = control.pc, last = control.last_pc, executed = 0;
    const uint32_t limit = control.limit;
    const bool is_recording = control.is_counting || control.is_tracing;
    Outcome outcome = LIMIT_REACHED;
    for (; executed < limit; executed++) {
        if (pc >= MAX_PROGRAM) {
            outcome = HALTED;
            break;
        }
        if (marks[pc] && heeds_mark(pc, executed == 0, &outcome)) break;
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
    }
    control.pc = pc;
    control.last_pc = last;
    control.executed = executed;
    control.outcome = outcome;
}

/* Where the host finds what it shares with the core. */
__attribute__((export_name("addresses"))) const void *const *addresses(void) {
    static const void *const all[] = {&control, marks,      counts, tail,
                                      program,  &registers, memory, dirty_pages};
    return all;
}

#endif
