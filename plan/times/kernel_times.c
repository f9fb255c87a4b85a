#include "plan/times/kernel_times.h"

#include <string.h>

#include "ast/algorithm/algorithm.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "microbench/predict/probe.h"

enum { FIRST_CAPACITY = 64, TIMED_ENOUGH = PROBE_FEWEST };

struct slot {
    struct kernel_key key;
    double ns; /* shortest measured time in nanoseconds; 0: no key is in this slot */
    int timed;
    bool own; /* whether it was timed in this process and has not been stored since */
};

/** A hash table with open addressing and linear probing; at most half of its slots are used. */
struct tcplan_kernel_times {
    size_t count;
    size_t capacity; /* number of slots, a power of two; 0 before the first time is added */
    struct slot *slot;
};

struct tcplan_kernel_times *tcplan_kernel_times_new(void) {
    struct tcplan_kernel_times *times = base_alloc(sizeof *times);
    if (times) *times = (struct tcplan_kernel_times){0};
    return times;
}

void tcplan_kernel_times_free(struct tcplan_kernel_times *times) {
    if (times) base_free(times->slot);
    base_free(times);
}

size_t tcplan_kernel_times_count(const struct tcplan_kernel_times *times) {
    return times->count;
}

/** Maps a scalar to 0, 1 or 2 (any other value), because kernels are equally fast for all other
 * values. */
static int kind_of(struct tcplan_scalar scalar) {
    if (scalar.im != 0 || (scalar.re != 0 && scalar.re != 1)) return 2;
    return scalar.re == 1;
}

/** Encodes the loops of a call, and its register tile if it has one. */
static int64_t number_of_loops(const struct blas_call *call) {
    const uint32_t tile = algorithm_tile_number(call->tile);
    uint64_t hash = HASH_OF_NOTHING;
    if (tile != 0) hash = hash_add_number(hash, tile);
    for (int l = 0; l < call->loop_count; l++) {
        hash = hash_add_number(hash, (uint64_t)call->loop[l].extent);
        for (int part = 0; part < TCPLAN_OPERANDS; part++)
            hash = hash_add_number(hash, (uint64_t)call->loop[l].stride[part]);
    }
    return (int64_t)(hash_spread(hash) >> 1);
}

struct kernel_key kernel_key_of(const struct blas_call *call, enum tcplan_dtype dtype,
                                int threads) {
    struct kernel_key key = {
        .call = {(int)call->kernel, call->m, call->n, call->k, call->ld[0], call->ld[1],
                 call->ld[2], call->transposed[0] + 2 * call->conjugated[0],
                 call->transposed[1] + 2 * call->conjugated[1], kind_of(call->alpha),
                 kind_of(call->beta), (int)dtype, threads, (int)call->provider},
        .products = call->products,
        .length = call->length};
    memcpy(key.strides, call->strides, sizeof key.strides);
    if (call->loop_count > 0 || algorithm_tile_number(call->tile) != 0)
        key.length = number_of_loops(call);
    return key;
}

/** Returns the slot of a key, or the free one where it belongs. */
static struct slot *slot_of(struct slot *slot, size_t capacity, const struct kernel_key *key) {
    uint64_t hash = HASH_OF_NOTHING;
    for (size_t c = 0; c < KERNEL_KEY_PARTS; c++)
        hash = hash_add_number(hash, (uint32_t)key->call[c]);
    size_t place = (size_t)(hash ^ hash >> 32) & (capacity - 1);
    while (slot[place].ns > 0 && memcmp(&slot[place].key, key, sizeof *key) != 0)
        place = (place + 1) & (capacity - 1);
    return &slot[place];
}

int kernel_times_timed(const struct tcplan_kernel_times *times, const struct kernel_key *key) {
    const struct slot *slot =
        times->capacity > 0 ? slot_of(times->slot, times->capacity, key) : NULL;
    return slot && slot->ns > 0 ? slot->timed : 0;
}

double kernel_times_find(const struct tcplan_kernel_times *times, const struct kernel_key *key) {
    return kernel_times_timed(times, key) >= TIMED_ENOUGH
               ? slot_of(times->slot, times->capacity, key)->ns
               : -1;
}

static bool grow(struct tcplan_kernel_times *times) {
    const size_t capacity = times->capacity > 0 ? 2 * times->capacity : FIRST_CAPACITY;
    struct slot *slot = base_alloc(capacity * sizeof *slot);
    if (!slot) return false;
    memset(slot, 0, capacity * sizeof *slot);
    for (size_t s = 0; s < times->capacity; s++) {
        if (times->slot[s].ns > 0) *slot_of(slot, capacity, &times->slot[s].key) = times->slot[s];
    }
    base_free(times->slot);
    times->slot = slot;
    times->capacity = capacity;
    return true;
}

enum tcplan_status kernel_times_add(struct tcplan_kernel_times *times, const struct kernel_key *key,
                                    double ns, struct tcplan_error *error) {
    if (2 * (times->count + 1) > times->capacity && !grow(times)) return error_no_memory(error);
    struct slot *slot = slot_of(times->slot, times->capacity, key);
    const bool first = slot->ns <= 0;
    if (ns <= 0) ns = 1e-9;
    times->count += first;
    *slot = (struct slot){.key = *key,
                          .ns = first || ns < slot->ns ? ns : slot->ns,
                          .timed = first ? 1 : slot->timed + 1,
                          .own = true};
    return TCPLAN_OK;
}

void kernel_times_recall(struct tcplan_kernel_times *times,
                         const struct tcplan_experience *experience) {
    if (times->count > 0) return;
    for (size_t i = 0; i < experience->kernel_count; i++) {
        const struct kernel_time *known = &experience->kernel[i];
        if (kernel_times_add(times, &known->key, known->ns, NULL) != TCPLAN_OK) return;
        struct slot *slot = slot_of(times->slot, times->capacity, &known->key);
        slot->timed = TIMED_ENOUGH;
        slot->own = false;
    }
}

void kernel_times_keep(struct tcplan_kernel_times *times, struct tcplan_experience *experience) {
    for (size_t s = 0; s < times->capacity; s++) {
        struct slot *slot = &times->slot[s];
        const bool is_of_file =
            slot->key.call[KERNEL_KEY_PROVIDER] >=
            TCPLAN_PROVIDER_FILE_1; /* times of libraries opened as files are not stored: another
                                       process may open another library under that number */
        if (!(slot->ns > 0) || !slot->own || slot->timed < TIMED_ENOUGH || is_of_file) continue;
        const struct kernel_time kernel = {.key = slot->key, .ns = slot->ns, .timed = slot->timed};
        if (experience_add(experience, &store_kind_kernels, &kernel, 1) != TCPLAN_OK) return;
        slot->own = false;
    }
}
