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
    bool measured, limited;        /**< private: times, or their limits, are known of some */
};

extern const struct view digests_view;

#endif
