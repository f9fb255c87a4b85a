/**
 * Records of one document by their ids, so that those of another stand beside them.
 */
#ifndef CLI_PEERS_H
#define CLI_PEERS_H

#include "base/arena.h"
#include "cli/digest.h"

/** What stands beside: a number is 0 where it is not known. */
struct peer {
    uint64_t id;
    const char *winner; /**< name of its algorithm; NULL: it failed */
    double seconds;     /**< measured, else predicted */
    double share;       /**< of what a large square gemm reaches */
};

/** Zero-initialise before use. */
struct peers {
    struct peer *peer;
    size_t count;
    size_t capacity;
    struct arena texts;
    bool sorted;
    bool no_memory;
};

/** A record_use; `context` is a struct peers. */
void peers_add(void *context, const struct tcplan_result *result);

/** The record of this id; NULL where there is none. */
const struct peer *peers_find(struct peers *peers, const char *id);

void peers_free(struct peers *peers);

#endif
