/**
 * Documents of results, in summary and side by side.
 */
#ifndef CLI_RENDER_RESULTS_DIGEST_H
#define CLI_RENDER_RESULTS_DIGEST_H

#include "cli/render/view.h"
#include "tcplan/study/digest.h"

/** Documents are read again while they are printed. */
struct reading_status {
    enum tcplan_status status;
    struct tcplan_error error;
};

struct digests {
    struct tcplan_digest *digest;
    struct tcplan_peers *const *peers; /**< by which records of several documents find each other */
    int count;
    int64_t rows;                  /**< contractions of each document at most; 0: by the format */
    struct reading_status *status; /**< receives why not all could be read */
};

/** A document among others: a record of the list `documents`. Its samples get sorted. */
struct digest_of {
    const struct digests *all;
    struct tcplan_digest *digest;
};

/** A record of its list `groups`. */
struct digest_group {
    const struct digest_of *of;
    struct tcplan_digest_group *group;
};

/** A record of its list `contractions`. */
struct digested {
    const struct digests *all;
    const struct tcplan_digest *digest;
    const struct tcplan_result *result;
    struct tcplan_facts facts;
};

/** The record of a further document with the same id as one of the first. */
struct digest_peer {
    const struct tcplan_facts *facts; /**< NULL: there is none */
};

extern const struct field digest_peer_fields[];

extern const struct view digests_view;

#endif
