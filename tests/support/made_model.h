/** Synthetic models, for tests of code that uses models. */
#ifndef TEST_MADE_MODEL_H
#define TEST_MADE_MODEL_H

#include "tcplan/models.h"

/** Properties of a synthetic model for one thread. By default, its domain is 1 to `largest` in each
 * size. */
struct made_model {
    const char *case_text;
    const char *provider;
    enum tcplan_model_placement placement;
    int sizes;
    int64_t smallest; /* 0: 1 */
    int64_t largest;
    double ns;          /* median, mean and minimum of the predicted time */
    double maximum_ns;  /* 0: `ns` */
    bool rises;         /* whether times double over the domain of the first of two sizes */
    double error;       /* relative error of the model's only piece */
    double checked_p90; /* 0: not checked */
    double good_reference_seconds;
    int threads;                        /* 0: 1 */
    const char *version;                /* NULL: any version */
    struct tcplan_model_domain domain;  /* without sizes: `smallest` to `largest` for each size */
    double of[TCPLAN_MODEL_STATISTICS]; /* time in ns for each statistic; all 0: the times follow
                                           from `ns` and `maximum_ns` */
};

/** Adds the model to a set; fails the test if this is impossible. */
void made_model_add(struct tcplan_models *models, struct made_model made);

/** Stores models of this machine and its BLAS in a store's folder, marked with their `version`.
 * Fails the test on errors. */
void made_models_keep(const char *folder, const struct made_model made[], size_t count);

#endif
