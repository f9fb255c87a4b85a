/** Prints documents of results: summaries, and comparisons of documents. */
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
    struct tcplan_peers *const *peers; /**< tables that find records of several documents with the
                                          same id */
    int count;
    int64_t rows; /**< maximum number of contractions per document; 0: as many as the format prints
                   */
    struct reading_status *status; /**< receives the status of reading */
};

/** A record of the list `documents`. Printing sorts the samples in it. */
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

/** A record of another document with the same id as a record of the first document. */
struct digest_peer {
    const struct tcplan_facts *facts; /**< facts of the record; NULL: there is no such record */
};

extern const struct field digest_peer_fields[];

#endif
