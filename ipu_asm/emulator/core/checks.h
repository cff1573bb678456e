/* Checks: short programs that find out where a stop test cannot be true, so that the host need not
 * be asked. `checks.py` describes their instructions. Include it after the definitions of
 * `Registers`, `registers`, `memory` and `MEMORY_SIZE`.
 *
 * A check that is in doubt (an address out of range, a sum beyond int64) may hold: the host asks.
 */
#ifndef CHECKS_H
#define CHECKS_H

#include "control.h"
#include "words.h"

enum { CHECK_WORDS = 1 << 13, CHECK_DEPTH = 32 };

static uint32_t check_words[CHECK_WORDS];
/* Where the checks of a bundle begin in `check_words`. */
static struct {
    uint16_t in_front, after;
} checks_at[MAX_PROGRAM];
/* The registers from before the last bundle whose mark asks for them. */
static Registers registers_before __attribute__((aligned(64)));

/* The program says which of them it is. */
typedef union {
    int64_t whole;
    double real;
} CheckValue;

typedef enum { I8, U8, I16, U16, I32, U32, F32 } CheckKind;

/* `Opcode` in `checks.py` has the same order, and says what each one does. */
typedef enum {
    END,
    STOP_IF,
    PUSH,
    LOAD,
    LOAD_BEFORE,
    LOAD_MEMORY,
    NEXT_PC,
    LAST_PC,
    CYCLE,
    TO_REAL,
    TO_TRUTH,
    REAL_TO_TRUTH,
    IS_NAN,
    NOT,
    NEGATE,
    INVERT,
    ABSOLUTE,
    REAL_NEGATE,
    REAL_ABSOLUTE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    AND,
    OR,
    XOR,
    SHIFT_LEFT,
    SHIFT_RIGHT,
    EQUAL,
    LESS,
    LESS_OR_EQUAL,
    MINIMUM,
    MAXIMUM,
    REAL_ADD,
    REAL_SUBTRACT,
    REAL_MULTIPLY,
    REAL_DIVIDE,
    REAL_EQUAL,
    REAL_LESS,
    REAL_LESS_OR_EQUAL,
    REAL_MINIMUM,
    REAL_MAXIMUM,
    JUMP,
    JUMP_UNLESS,
    NEXT_LANE,
    FOLD,
    CHANGED,
    NEW_NANS,
    SUM_OVERFLOWS,
} CheckOpcode;

RARE void keep_registers(void) {
    copy_bytes(&registers_before, &registers, sizeof registers);
}

#define LOADED(type, field)                     \
    {                                           \
        type value;                             \
        copy_bytes(&value, from, sizeof value); \
        return (CheckValue){.field = value};    \
    }

INLINE CheckValue loaded(CheckKind kind, const void *from) {
    switch (kind) {
    case I8: LOADED(int8_t, whole)
    case U8: LOADED(uint8_t, whole)
    case I16: LOADED(int16_t, whole)
    case U16: LOADED(uint16_t, whole)
    case I32: LOADED(int32_t, whole)
    case U32: LOADED(uint32_t, whole)
    default: LOADED(float, real)
    }
}

/* Replace `a` by the result of an operation on whole numbers. False if it is in doubt. */
static bool compute(CheckOpcode op, int64_t *a, int64_t b) {
    const int64_t one = *a;
    switch (op) {
    case ADD: return !__builtin_add_overflow(one, b, a);
    case SUBTRACT: return !__builtin_sub_overflow(one, b, a);
    case MULTIPLY: /* a longer product would call a function that is not there */
        *a = (int64_t)((uint64_t)one * (uint64_t)b);
        return one == (int32_t)one && b == (int32_t)b;
    case DIVIDE:
    case REMAINDER:
        if (b == 0 || one == INT64_MIN) return false;
        if (op == DIVIDE)
            *a = one / b - (one % b != 0 && (one < 0) != (b < 0));
        else
            *a = one % b + ((one % b != 0 && (one < 0) != (b < 0)) ? b : 0);
        return true;
    case SHIFT_LEFT:
        if (b < 0 || b > 62) return false;
        *a = (int64_t)((uint64_t)one << b);
        return *a >> b == one;
    case SHIFT_RIGHT:
        if (b < 0 || b > 128) return false;
        *a = one >> (b > 63 ? 63 : b);
        return true;
    case AND: *a = one & b; return true;
    case OR: *a = one | b; return true;
    case XOR: *a = one ^ b; return true;
    case EQUAL: *a = one == b; return true;
    case LESS: *a = one < b; return true;
    case LESS_OR_EQUAL: *a = one <= b; return true;
    case MINIMUM: *a = one < b ? one : b; return true;
    case MAXIMUM: *a = one > b ? one : b; return true;
    default: return false;
    }
}

/* Replace `a` by the result of an operation on real numbers. NaN is neither least nor greatest. */
static void compute_real(CheckOpcode op, CheckValue *a, double b) {
    const double one = a->real;
    switch (op) {
    case REAL_ADD: a->real = one + b; break;
    case REAL_SUBTRACT: a->real = one - b; break;
    case REAL_MULTIPLY: a->real = one * b; break;
    case REAL_DIVIDE: a->real = one / b; break;
    case REAL_EQUAL: a->whole = one == b; break;
    case REAL_LESS: a->whole = one < b; break;
    case REAL_LESS_OR_EQUAL: a->whole = one <= b; break;
    case REAL_MINIMUM: a->real = one != one || b < one ? b : one; break;
    default: a->real = one != one || b > one ? b : one; break;
    }
}

/* The sum of int32. No sum of as many as a check may look at is beyond int64. */
static int64_t total_of_ints(const uint8_t *from, uint32_t count) {
    Vector sums = wasm_i64x2_const_splat(0);
    for (; count >= WORDS_PER_VECTOR; count -= WORDS_PER_VECTOR, from += BYTES_PER_VECTOR) {
        const Vector words = wasm_v128_load(from);
        sums = wasm_i64x2_add(sums, wasm_i64x2_extend_low_i32x4(words));
        sums = wasm_i64x2_add(sums, wasm_i64x2_extend_high_i32x4(words));
    }
    int64_t sum = wasm_i64x2_extract_lane(sums, 0) + wasm_i64x2_extract_lane(sums, 1);
    for (; count; count--, from += sizeof(int32_t)) sum += loaded(I32, from).whole;
    return sum;
}

/* Combine `total` with elements that lie one after the other. False if the result is in doubt. */
static bool fold(CheckOpcode op, CheckKind kind, const uint8_t *from, uint32_t count,
                 CheckValue *total) {
    static const uint8_t SIZES[] = {1, 1, 2, 2, 4, 4, 4};
    if (op == ADD && kind == I32)
        return compute(op, &total->whole, total_of_ints(from, count));
    if (op == REAL_ADD && kind == F32) { /* one after the other, as the host adds them */
        for (uint32_t i = 0; i < count; i++) total->real += loaded(F32, from + 4 * i).real;
        return true;
    }
    for (; count; count--, from += SIZES[kind]) {
        const CheckValue element = loaded(kind, from);
        if (op >= REAL_ADD)
            compute_real(op, total, element.real);
        else if (!compute(op, &total->whole, element.whole))
            return false;
    }
    return true;
}

/* Whether the bytes of the registers from `start` to before `end` differ from those before. */
static bool have_changed(uint32_t start, uint32_t end) {
    const uint8_t *now = (const uint8_t *)&registers, *old = (const uint8_t *)&registers_before;
    while (start + BYTES_PER_VECTOR <= end) {
        const Vector differing =
            wasm_v128_xor(wasm_v128_load(now + start), wasm_v128_load(old + start));
        if (wasm_v128_any_true(differing)) return true;
        start += BYTES_PER_VECTOR;
    }
    for (; start < end; start++)
        if (now[start] != old[start]) return true;
    return false;
}

/* Whether one of `count` words is NaN now and was not before. */
static bool have_new_nans(uint32_t start, uint32_t count) {
    for (; count; count--, start += sizeof(Word)) {
        Word now, old;
        copy_bytes(&now, (const uint8_t *)&registers + start, sizeof now);
        copy_bytes(&old, (const uint8_t *)&registers_before + start, sizeof old);
        if (is_nan_word(now) && !is_nan_word(old)) return true;
    }
    return false;
}

/* Whether a vector from before the bundle and one from after it have a sum beyond int32. */
static bool sum_overflows(uint32_t before, uint32_t after) {
    Vector found = wasm_i32x4_const_splat(0);
    for (int i = 0; i < LANES * (int)sizeof(Word); i += BYTES_PER_VECTOR) {
        const Vector a = wasm_v128_load((const uint8_t *)&registers_before + before + i);
        const Vector b = wasm_v128_load((const uint8_t *)&registers + after + i);
        const Vector sum = wasm_i32x4_add(a, b);
        found = wasm_v128_or(found, wasm_v128_and(wasm_v128_xor(a, sum), wasm_v128_xor(b, sum)));
    }
    return wasm_i32x4_bitmask(found) != 0;
}

/* Whether a check may hold, between the bundle at `last` and that at `next`. */
static __attribute__((noinline)) bool may_hold(uint32_t at, uint32_t last, uint32_t next,
                                               uint32_t executed) {
    static CheckValue stack[CHECK_DEPTH];
    CheckValue *top = stack;
    uint32_t lane = 0;
    for (;;) {
        const uint32_t *word = check_words + at;
        const CheckOpcode op = (CheckOpcode)word[0];
        at++;
        switch (op) {
        case END: return false;
        case STOP_IF:
            if ((top--)->whole) return true;
            break;
        case PUSH:
            (++top)->whole = (int64_t)((uint64_t)word[2] << 32 | word[1]);
            at += 2;
            break;
        case LOAD:
        case LOAD_BEFORE: {
            const void *from = op == LOAD ? &registers : &registers_before;
            *++top = loaded((CheckKind)word[1], (const uint8_t *)from + word[2] + lane * word[3]);
            at += 3;
            break;
        }
        case LOAD_MEMORY: {
            const int64_t address = top->whole;
            if (address < 0 || address + word[3] > MEMORY_SIZE) return true;
            *top = loaded((CheckKind)word[1], memory + address + lane * word[2]);
            at += 3;
            break;
        }
        case NEXT_PC: (++top)->whole = next; break;
        case LAST_PC: (++top)->whole = last; break;
        case CYCLE:
            (++top)->whole = (int64_t)((uint64_t)control.cycle_high << 32 | control.cycle_low);
            top->whole += executed;
            break;
        case TO_REAL: {
            const int64_t value = top->whole;
            if (value > 1ll << 53 || value < -(1ll << 53)) return true;
            top->real = (double)value;
            break;
        }
        case TO_TRUTH: top->whole = top->whole != 0; break;
        case REAL_TO_TRUTH: top->whole = top->real != 0; break;
        case IS_NAN: top->whole = top->real != top->real; break;
        case NOT: top->whole = top->whole == 0; break;
        case INVERT: top->whole = ~top->whole; break;
        case NEGATE:
        case ABSOLUTE:
            if (top->whole == INT64_MIN) return true;
            if (op == NEGATE || top->whole < 0) top->whole = -top->whole;
            break;
        case REAL_NEGATE: top->real = -top->real; break;
        case REAL_ABSOLUTE: top->real = __builtin_fabs(top->real); break;
        case JUMP: at += word[1] + 1; break;
        case JUMP_UNLESS: at += (top--)->whole ? 1 : word[1] + 1; break;
        case NEXT_LANE: /* back to the beginning of the loop, but for the last one */
            if (++lane < word[1]) {
                at -= word[2];
            } else {
                lane = 0;
                at += 2;
            }
            break;
        case FOLD: {
            const uint8_t *from = (const uint8_t *)&registers + word[3];
            if (!fold((CheckOpcode)word[1], (CheckKind)word[2], from, word[4], top)) return true;
            at += 4;
            break;
        }
        case CHANGED:
            (++top)->whole = have_changed(word[1], word[2]);
            at += 2;
            break;
        case NEW_NANS:
            (++top)->whole = have_new_nans(word[1], word[2]);
            at += 2;
            break;
        case SUM_OVERFLOWS:
            (++top)->whole = sum_overflows(word[1], word[2]);
            at += 2;
            break;
        default:
            top--;
            if (op >= REAL_ADD)
                compute_real(op, top, top[1].real);
            else if (!compute(op, &top->whole, top[1].whole))
                return true;
        }
    }
}

#endif
