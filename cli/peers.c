#include "cli/peers.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static uint64_t number_of(const char *id) {
    return strtoull(id, NULL, 16);
}

static bool reserve(struct peers *peers) {
    if (peers->count < peers->capacity) return true;
    const size_t capacity = 2 * peers->capacity + 64;
    struct peer *peer = base_realloc(peers->peer, capacity * sizeof *peer);
    if (!peer) return false;
    peers->peer = peer;
    peers->capacity = capacity;
    return true;
}

void peers_add(void *context, const struct tcplan_result *result) {
    struct peers *peers = context;
    const struct facts facts = facts_of(result);
    const char *winner = facts.winner ? arena_strndup(&peers->texts, facts.winner->name, strlen(facts.winner->name)) : NULL;
    if (!reserve(peers) || (facts.winner && !winner)) {
        peers->no_memory = true;
        return;
    }
    peers->peer[peers->count++] =
        (struct peer){.id = number_of(result->id), .winner = winner, .seconds = facts.seconds, .share = facts.share};
    peers->sorted = false;
}

static int by_id(const void *a, const void *b) {
    const uint64_t x = ((const struct peer *)a)->id, y = ((const struct peer *)b)->id;
    return (x > y) - (x < y);
}

const struct peer *peers_find(struct peers *peers, const char *id) {
    const struct peer wanted = {.id = number_of(id)};
    if (peers->count == 0) return NULL;
    if (!peers->sorted) qsort(peers->peer, peers->count, sizeof *peers->peer, by_id);
    peers->sorted = true;
    return bsearch(&wanted, peers->peer, peers->count, sizeof *peers->peer, by_id);
}

void peers_free(struct peers *peers) {
    free(peers->peer);
    arena_free(&peers->texts);
    *peers = (struct peers){0};
}
