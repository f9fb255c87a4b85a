/*
 * The number of an object combines a place in the table with the number of times that the place
 * was used, so that an old number does not identify a new object. Places are in blocks, each twice
 * as large as the one before. Blocks are neither moved nor freed, so that lookups need no lock.
 */
#include "bindings/tapp/objects.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    PLACE_BITS = sizeof(intptr_t) >= 8 ? 32 : 20,
    USE_BITS = (int)sizeof(intptr_t) * 8 - 1 - PLACE_BITS, /* the sign bit is always 0 */
    FIRST_BLOCK = 64,
    BLOCKS = PLACE_BITS - 7, /* enough blocks for all places that have a number */
    KIND_BITS = 3
};

struct place {
    atomic_uint_least64_t state; /* number of uses and, in the low bits, the kind; free places have
                                    TAPP_KIND_NONE */
    void *_Atomic object;
    struct place *next_free;
    uint64_t number; /* number of the place, from 1 */
};

static struct place *_Atomic blocks[BLOCKS];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct place *free_places; /* free places, protected by the lock, as is block_count */
static int block_count;

static uint64_t uses_of(uint64_t state) {
    return (state >> KIND_BITS) & (((uint64_t)1 << USE_BITS) - 1);
}

static enum tapp_kind kind_of(uint64_t state) {
    return (enum tapp_kind)(state & ((1 << KIND_BITS) - 1));
}

/** Returns the place with a number from 1 on; NULL if there is none. */
static struct place *place_at(uint64_t number) {
    uint64_t at = number - 1 + FIRST_BLOCK;
    int block = 0;
    if (number == 0 || number >> PLACE_BITS != 0) return NULL;
    while (block < BLOCKS && at >= ((uint64_t)FIRST_BLOCK << (block + 1))) block++;
    struct place *places =
        block < BLOCKS ? atomic_load_explicit(&blocks[block], memory_order_acquire) : NULL;
    return places ? &places[at - ((uint64_t)FIRST_BLOCK << block)] : NULL;
}

/** Returns the place of the live object with a number, and stores the state of the place in *state;
 * NULL if there is no such object. */
static struct place *place_of(intptr_t number, uint64_t *state) {
    if (number <= 0) return NULL;
    const uint64_t bits = (uint64_t)number;
    struct place *place = place_at(bits & (((uint64_t)1 << PLACE_BITS) - 1));
    if (!place) return NULL;
    *state = atomic_load_explicit(&place->state, memory_order_acquire);
    return uses_of(*state) == bits >> PLACE_BITS && kind_of(*state) != TAPP_KIND_NONE ? place
                                                                                      : NULL;
}

/** Adds a block of free places. The caller holds the lock. */
static void grow(void) {
    if (block_count == BLOCKS) return;
    const uint64_t count = (uint64_t)FIRST_BLOCK << block_count;
    struct place *places = calloc(count, sizeof *places);
    if (!places) return;
    for (uint64_t p = count; p-- > 0;) {
        places[p].number = count - FIRST_BLOCK + p + 1;
        places[p].next_free = free_places;
        free_places = &places[p];
    }
    atomic_store_explicit(&blocks[block_count++], places, memory_order_release);
}

intptr_t tapp_object_add(enum tapp_kind kind, void *object) {
    intptr_t number = 0;
    pthread_mutex_lock(&changing);
    if (!free_places) grow();
    struct place *place = free_places;
    if (place) {
        free_places = place->next_free;
        const uint64_t uses =
            (uses_of(atomic_load(&place->state)) + 1) & (((uint64_t)1 << USE_BITS) - 1);
        atomic_store(&place->object, object);
        atomic_store_explicit(&place->state, uses << KIND_BITS | (uint64_t)kind,
                              memory_order_release);
        number = (intptr_t)(uses << PLACE_BITS | place->number);
    }
    pthread_mutex_unlock(&changing);
    return number;
}

void *tapp_object_find(intptr_t number, enum tapp_kind kind) {
    uint64_t state = 0;
    struct place *place = place_of(number, &state);
    return place && kind_of(state) == kind
               ? atomic_load_explicit(&place->object, memory_order_relaxed)
               : NULL;
}

void *tapp_object_remove(intptr_t number, enum tapp_kind kind) {
    void *object = NULL;
    uint64_t state = 0;
    pthread_mutex_lock(&changing);
    struct place *place = place_of(number, &state);
    if (place && kind_of(state) == kind) {
        object = atomic_load(&place->object);
        atomic_store_explicit(&place->state, state & ~(uint64_t)((1 << KIND_BITS) - 1),
                              memory_order_release);
        place->next_free = free_places;
        free_places = place;
    }
    pthread_mutex_unlock(&changing);
    return object;
}

enum tapp_kind tapp_object_kind(intptr_t number) {
    uint64_t state = 0;
    return place_of(number, &state) ? kind_of(state) : TAPP_KIND_NONE;
}
