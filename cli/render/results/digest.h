/**
 * Documents of results: summaries and comparison.
 */
#ifndef CLI_RENDER_RESULTS_DIGEST_H
#define CLI_RENDER_RESULTS_DIGEST_H

#include "cli/render/view.h"
#include "tcplan/study/digest.h"

/** Status of reading documents again while they are printed. */
struct reading_status {
    enum tcplan_status status;
    struct tcplan_error error;
};

struct digests {
    struct tcplan_digest *digest;
    struct tcplan_peers *const *peers; /**< to match records of several documents */
    int count;
    int64_t rows; /**< limit on contractions of each document; 0: depends on the format */
    struct reading_status *status; /**< receives errors */
};

/** A record of the list `documents`. Its samples get sorted. */
struct digest_of {
    const struct digests *all;
    struct tcplan_digest *digest;
};

/** A record of the list `groups` of a document. */
struct digest_group {
    const struct digest_of *of;
    struct tcplan_digest_group *group;
};

/** A record of the list `contractions` of a document. */
struct digested {
    const struct digests *all;
    const struct tcplan_digest *digest;
    const struct tcplan_result *result;
    struct tcplan_facts facts;
};

/** A record of a further document with the id of a record of the first. */
struct digest_peer {
    const struct tcplan_facts *facts; /**< NULL: none */
};

extern const struct field digest_peer_fields[];

#endif
