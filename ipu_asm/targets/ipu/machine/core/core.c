/* The core of the IPU: a fixed interpreter of decoded bundles. `emulator/core/control.h` has the
 * contract with the host; `ipu.py` says which instruction becomes which opcode. */
#include "aaq.h"
#include "acc.h"
#include "lr.h"
#include "mult.h"
#include "repeat.h"
#include "xmem.h"

/* What an aggregate that does not fit takes back: registers, and the row of memory stored over. */
static struct {
    Registers registers;
    uint8_t row[sizeof(Word) * LANES];
} before;

INLINE void save_for_undo(const XmemInstruction *i) {
    copy_bytes(&before.registers, &registers, sizeof registers);
    if (i->op == OP_STR_ACC_REG) copy_bytes(before.row, memory + xmem_address(i), LANES * 4);
    if (i->op == OP_XMEM_STORE_AAQ_RESULT) copy_bytes(before.row, memory + xmem_address(i), ROW);
}

RARE void undo(const XmemInstruction *i) {
    /* The address depends on the registers after the lr instructions, which the copy has. */
    copy_bytes(&registers, &before.registers, sizeof registers);
    if (i->op == OP_STR_ACC_REG) copy_bytes(memory + xmem_address(i), before.row, LANES * 4);
    if (i->op == OP_XMEM_STORE_AAQ_RESULT) copy_bytes(memory + xmem_address(i), before.row, ROW);
    acc_finiteness = UNKNOWN;
}

/* Whether the host is to execute the bundle: it faults, but for what only `execute_agg` finds out.
 */
INLINE bool is_refused(const Bundle *b, ElementType type) {
    if (b->xmem.op && xmem_is_refused(&b->xmem)) return true;
    if (b->mult.op && type >= ELEMENT_TYPES) return true;
    if (b->acc.op && acc_is_refused(&b->acc)) return true;
    return b->aaq.op == OP_AAQ && type != INT8;
}

INLINE bool execute_agg(const AaqInstruction *i, ElementType type) {
    Word result;
    if (type != INT8)
        result = agg_floats(i);
    else if (!agg_ints(i, &result))
        return false;
    registers.scalars[AAQ + i->aaq] = result;
    return true;
}

INLINE void execute_products(const MultInstruction *mult, const AccInstruction *acc,
                             ElementType type) {
    if (mult->op) {
        const bool accumulates = acc->op == OP_ACC && (type == INT8 || acc_is_finite());
        if (execute_mult(mult, type, accumulates)) return;
    }
    if (acc->op) execute_acc(acc, type != INT8);
}

/* Execute a bundle but for its branch. False if it is refused: then nothing has changed. */
INLINE bool execute(const Bundle *b, ElementType type) {
    Word *scalars = registers.scalars;
    const Word old[] = {scalars[b->lr[0].dest], scalars[b->lr[1].dest]};
    const Word new[] = {lr_result(&b->lr[0]), lr_result(&b->lr[1])};
    if (b->lr[0].op) scalars[b->lr[0].dest] = new[0];
    if (b->lr[1].op) scalars[b->lr[1].dest] = new[1];
    bool is_done = !is_refused(b, type);
    if (is_done) {
        const bool may_fail = b->aaq.op == OP_AGG && type == INT8 && agg_may_overflow(&b->aaq);
        if (may_fail) save_for_undo(&b->xmem);
        if (b->xmem.op) execute_xmem(&b->xmem);
        execute_products(&b->mult, &b->acc, type);
        if (b->aaq.op == OP_AAQ) quantize(control.option);
        if (b->aaq.op == OP_AGG && !execute_agg(&b->aaq, type)) {
            undo(&b->xmem);
            is_done = false;
        }
    }
    if (is_done && b->xmem.op && control.is_counting_accesses) count_xmem(&b->xmem);
    if (!is_done) {
        if (b->lr[0].op) scalars[b->lr[0].dest] = old[0];
        if (b->lr[1].op) scalars[b->lr[1].dest] = old[1];
    }
    return is_done;
}

INLINE bool execute_on(const Bundle *b, int type) {
    return execute(b, (ElementType)type);
}

INLINE uint32_t repeat_in(const Bundle *b, uint32_t pc, uint32_t most, int type) {
    return repeat(b, pc, most, (ElementType)type);
}

#include "loop.h"

/* No instruction writes a config register, so the element type stays the same for a whole run. */
__attribute__((export_name("run"))) void run(void) {
    acc_finiteness = UNKNOWN;
    switch (registers.scalars[DTYPE]) {
    case INT8: run_loop(execute_on, repeat_in, INT8); break;
    case FP8_E4M3: run_loop(execute_on, repeat_in, FP8_E4M3); break;
    case FP8_E5M2: run_loop(execute_on, repeat_in, FP8_E5M2); break;
    default: run_loop(execute_on, repeat_in, ELEMENT_TYPES); break;
    }
}
