/* The core of IPU 2: an interpreter of decoded bundles. `emulator/core/control.h` has the contract
 * with the host; `ipu2.py` says which instruction becomes which opcode. */
#include "aaq.h"
#include "acc.h"
#include "lr.h"
#include "mult.h"
#include "repeat.h"
#include "transfers.h"

/* Whether the host is to execute the bundle: it faults, or a part of it is left to the host. */
INLINE bool is_refused(const Bundle *b, Mode mode) {
    if (b->load.op && is_refused_load(&b->load, mode)) return true;
    if (b->mult.op && is_refused_mult(&b->mult, mode)) return true;
    if (b->acc.op && is_refused_acc(&b->acc)) return true;
    if (b->aaq.op && is_refused_aaq(&b->aaq, mode)) return true;
    if (b->store.op && is_refused_transfer(&b->store, mode, STORE_SIZE, WRITES)) return true;
    return b->acc_store.op && is_refused_transfer(&b->acc_store, mode, STORE_SIZE, WRITES);
}

/* Count what a bundle is about to access. */
RARE void count_transfers(const Bundle *b, Mode mode) {
    if (b->load.op) count_transfer(&b->load, mode, load_size(&b->load, mode), READS);
    if (b->store.op) count_transfer(&b->store, mode, STORE_SIZE, WRITES);
    if (b->acc_store.op) count_transfer(&b->acc_store, mode, STORE_SIZE, WRITES);
}

/* Execute a bundle but for its branch. False if it is refused: then nothing has changed.
 *
 * What sees values from before the bundle comes first: a reshape before the multiplication, and
 * that before the load of elements. */
INLINE bool execute(const Bundle *b, Mode mode) {
    copy_bytes(old_lr, registers.scalars, sizeof old_lr);
    for (int i = 0; i < LR_SLOTS; i++)
        if (b->lr[i].op) execute_lr(&b->lr[i]);
    if (is_refused(b, mode)) {
        copy_bytes(registers.scalars, old_lr, sizeof old_lr);
        return false;
    }
    if (control.is_counting_accesses) count_transfers(b, mode);
    if (b->load.op == OP_LDR_MULT_MASK_REG) load_mask(&b->load, mode);
    if (b->acc.op == OP_ACC_RESHAPE) reshape(&b->acc);
    if (b->mult.op) execute_mult(&b->mult, mode);
    if (b->load.op && b->load.op != OP_LDR_MULT_MASK_REG) load_elements(&b->load, mode);
    if (b->acc.op) execute_acc(&b->acc, has_float_words(mode));
    if (b->aaq.op) execute_aaq(&b->aaq, mode);
    if (b->store.op) store_words(&b->store, mode, registers.post_aaq_reg);
    if (b->acc_store.op) store_words(&b->acc_store, mode, registers.r_acc);
    return true;
}

INLINE bool execute_in_mode(const Bundle *b, int mode) {
    return execute(b, (Mode)mode);
}

INLINE uint32_t repeat_in_mode(const Bundle *b, uint32_t pc, uint32_t most, int mode) {
    return repeat(b, pc, most, (Mode)mode);
}

#include "loop.h"

__attribute__((export_name("run"))) void run(void) {
    if (control.option & EXPONENT_BITS) make_small_floats();
    if (control.option & WIDE_FP32)
        run_loop(execute_in_mode, repeat_in_mode, WIDE_FLOAT);
    else if (control.option & WIDE_INT32)
        run_loop(execute_in_mode, repeat_in_mode, WIDE_INT);
    else if (control.option & EXPONENT_BITS)
        run_loop(execute_in_mode, repeat_in_mode, NARROW_FLOAT);
    else
        run_loop(execute_in_mode, repeat_in_mode, NARROW_INT);
}
