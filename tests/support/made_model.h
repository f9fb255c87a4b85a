/** Synthetic models, for tests of code that uses models. */
#ifndef TEST_MADE_MODEL_H
#define TEST_MADE_MODEL_H

#include "tcplan/models.h"

/** The properties of a synthetic model. Its domain is 1 to `largest` in each size, and it has one
 * thread. */
struct made_model {
    const char *case_text;
    const char *provider;
    enum tcplan_model_placement placement;
    int sizes;
    int64_t smallest; /* 0: 1 */
    int64_t largest;
    double ns;          /* the median, the mean and the minimum */
    double maximum_ns;  /* 0: `ns` */
    double error;       /* error of its piece */
    double checked_p90; /* 0: not checked */
    double good_reference_seconds;
    int threads;                        /* 0: 1 */
    const char *version;                /* NULL: any version */
    struct tcplan_model_domain domain;  /* without sizes: `smallest` to `largest` in each */
    double of[TCPLAN_MODEL_STATISTICS]; /* nanoseconds by statistic; all 0: from `ns` and
                                           `maximum_ns` */
};

/** Adds the model to a set; fails the test if this is impossible. */
void made_model_add(struct tcplan_models *models, struct made_model made);

/** Stores models of this machine and its BLAS in the store `folder`, and sets their `version`;
 * fails the test if this is impossible. */
void made_models_keep(const char *folder, const struct made_model made[], size_t count);

#endif
