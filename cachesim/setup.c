#include "cachesim/setup.h"

#include <assert.h>

#include "base/checked.h"

enum { MAX_TOUCHES = 2 * TCPLAN_OPERANDS };

/** An access to an operand at a distance. */
struct touch {
    enum tcplan_operand operand;
    bool prefetch;
    bool never;
    int64_t elems;
    int64_t distance;
    int64_t access_distance; /* access distance of the operand, which orders touches with equal
                                distances */
};

/** Accesses in increasing order of distance: the last access of the setup first. */
struct touches {
    int count;
    struct touch touch[MAX_TOUCHES];
};

/** Returns whether `a` is accessed later than `b`. */
static bool is_later(const struct touch *a, const struct touch *b) {
    if (a->distance != b->distance) return a->distance < b->distance;
    if (a->prefetch != b->prefetch && a->operand == b->operand) return a->prefetch;
    if (a->access_distance != b->access_distance) return a->access_distance < b->access_distance;
    return a->operand > b->operand;
}

static void insert(struct touches *touches, struct touch touch) {
    assert(touches->count < MAX_TOUCHES);
    int place = touches->count++;
    for (; place > 0 && is_later(&touch, &touches->touch[place - 1]); place--)
        touches->touch[place] = touches->touch[place - 1];
    touches->touch[place] = touch;
}

static struct touches collect(const struct tcplan_access access[TCPLAN_OPERANDS],
                              const int64_t prefetched_elems[TCPLAN_OPERANDS]) {
    struct touches touches = {0};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        struct touch touch = {.operand = (enum tcplan_operand)t,
                              .elems = access[t].elems,
                              .access_distance = access[t].distance_elems};
        if (access[t].prefetched) {
            struct touch prefetch = touch;
            prefetch.prefetch = true;
            prefetch.elems = prefetched_elems[t];
            prefetch.distance = access[t].prefetch_distance_elems;
            insert(&touches, prefetch);
            if (prefetch.elems == touch.elems) continue;
        }
        touch.never = access[t].never;
        touch.distance = access[t].distance_elems;
        insert(&touches, touch);
    }
    return touches;
}

/** Prepends an access to remote memory so that the accesses sum to `reach` elements. */
static void reach_back(struct tcplan_call_class *out, int64_t reach, int64_t *behind) {
    if (reach <= *behind) return;
    out->setup[out->listed_count++] =
        (struct tcplan_setup_step){.remote = true, .elems = reach - *behind};
    *behind = reach;
}

static void reverse(struct tcplan_setup_step *step, int count) {
    for (int left = 0, right = count - 1; left < right; left++, right--) {
        const struct tcplan_setup_step other = step[left];
        step[left] = step[right];
        step[right] = other;
    }
}

/** Returns whether the setup consists of exactly the kernel's own operands. It is then
 * redundant, because each repetition touches them for the next one. */
static bool is_redundant(const struct tcplan_call_class *call_class) {
    for (int s = 0; s < call_class->listed_count; s++) {
        if (call_class->setup[s].remote) return false;
    }
    return !call_class->truncated;
}

bool setup_fill(struct tcplan_call_class *call_class,
                const int64_t prefetched_elems[TCPLAN_OPERANDS], int64_t limit_elems) {
    const struct touches touches = collect(call_class->access, prefetched_elems);
    int64_t behind = 0; /* sum of the elements of all accesses that follow */
    call_class->listed_count = 0;
    for (int i = 0; i < touches.count && !call_class->truncated; i++) {
        const struct touch *touch = &touches.touch[i];
        call_class->truncated = touch->never || touch->distance > limit_elems;
        if (!call_class->truncated) {
            reach_back(call_class, touch->distance, &behind);
            call_class->setup[call_class->listed_count++] = (struct tcplan_setup_step){
                .operand = touch->operand, .prefetch = touch->prefetch, .elems = touch->elems};
            if (!checked_add_i64(behind, touch->elems, &behind)) return false;
        } else if (limit_elems < INT64_MAX) {
            reach_back(call_class, limit_elems, &behind);
        }
    }
    assert(call_class->listed_count <= TCPLAN_MAX_SETUP);
    reverse(call_class->setup, call_class->listed_count);
    call_class->setup_count = is_redundant(call_class) ? 0 : call_class->listed_count;
    return true;
}
