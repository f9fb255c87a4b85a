#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "tcplan/study/digest.h"

struct peer {
    uint64_t id;
    struct tcplan_facts facts; /* facts of the record; the arena owns their text */
};

struct tcplan_peers {
    struct peer *peer;
    size_t count;
    size_t capacity;
    struct arena texts;
};

static uint64_t number_of(const char *id) {
    return strtoull(id, NULL, 16);
}

static bool reserve(struct tcplan_peers *peers) {
    if (peers->count < peers->capacity) return true;
    const size_t capacity = 2 * peers->capacity + 64;
    struct peer *peer = base_realloc(peers->peer, capacity * sizeof *peer);
    if (!peer) return false;
    peers->peer = peer;
    peers->capacity = capacity;
    return true;
}

/** Adds the facts of a record (a tcplan_result_fn). */
static enum tcplan_status add(void *context, const struct tcplan_result *result,
                              struct tcplan_error *error) {
    struct tcplan_peers *peers = context;
    struct peer peer = {.id = number_of(result->id), .facts = tcplan_result_facts(result)};
    const char *winner = peer.facts.winner;
    if (winner) peer.facts.winner = arena_strndup(&peers->texts, winner, strlen(winner));
    if (!reserve(peers) || (winner && !peer.facts.winner)) return error_no_memory(error);
    peers->peer[peers->count++] = peer;
    return TCPLAN_OK;
}

static int by_id(const void *a, const void *b) {
    const uint64_t x = ((const struct peer *)a)->id, y = ((const struct peer *)b)->id;
    return (x > y) - (x < y);
}

enum tcplan_status tcplan_peers_read(struct tcplan_peers **out, const char *path,
                                     struct tcplan_error *error) {
    struct tcplan_peers *peers = base_alloc_zero(1, sizeof *peers);
    if (!peers) return error_no_memory(error);
    const enum tcplan_status status = tcplan_results_walk(path, add, peers, NULL, error);
    if (status == TCPLAN_OK) {
        if (peers->count > 0) qsort(peers->peer, peers->count, sizeof *peers->peer, by_id);
        *out = peers;
    } else {
        tcplan_peers_free(peers);
    }
    return status;
}

const struct tcplan_facts *tcplan_peers_find(struct tcplan_peers *peers, const char *id) {
    const struct peer wanted = {.id = number_of(id)};
    if (peers->count == 0) return NULL;
    const struct peer *found =
        bsearch(&wanted, peers->peer, peers->count, sizeof *peers->peer, by_id);
    return found ? &found->facts : NULL;
}

void tcplan_peers_free(struct tcplan_peers *peers) {
    if (!peers) return;
    free(peers->peer);
    arena_free(&peers->texts);
    base_free(peers);
}
