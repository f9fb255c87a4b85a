/**
 * Synthetic models: for tests of code that uses models.
 */
#ifndef TEST_MADE_MODEL_H
#define TEST_MADE_MODEL_H

#include "tcplan/models.h"

/** The prediction of a synthetic model: from 1 to `largest` in each of its sizes, with one thread.
 */
struct made_model {
    const char *case_text;
    const char *provider;
    enum tcplan_model_placement placement;
    int sizes;
    int64_t smallest; /* 0: 1 */
    int64_t largest;
    double ns;          /* the median, the mean, and the minimum too */
    double maximum_ns;  /* 0: ns */
    double error;       /* of the piece */
    double checked_p90; /* 0: it was not checked */
    double good_reference_seconds;
    int threads;                        /* 0: 1 */
    const char *version;                /* NULL: any */
    struct tcplan_model_domain domain;  /* of no sizes: `smallest` to `largest` in each */
    double of[TCPLAN_MODEL_STATISTICS]; /* nanoseconds of each statistic; all 0: as `ns` and
                                           `maximum_ns` say */
};

/** Adds it to a set; fails the test where that is not possible. */
void made_model_add(struct tcplan_models *models, struct made_model made);

/** Keeps models of this machine and its BLAS in the store `folder`; fails the test where that is
 * not possible. Their `version` is set. */
void made_models_keep(const char *folder, const struct made_model made[], size_t count);

#endif
