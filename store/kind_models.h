/**
 * Models and their samples as what is kept.
 *
 * The content of an entry of models is an XML document, as `tcplan model export` writes it
 * (tcplan/models_file.h). Samples are of one case in one setup, with a line for each point:
 *
 *   samples case=... provider=... version=... threads=1
 *   sample size1=24 size2=24 repetitions=10 minimum=4090 median=...
 */
#ifndef STORE_KIND_MODELS_H
#define STORE_KIND_MODELS_H

#include "tcplan/models.h"
#include "tcplan/store.h"

/** What is written of models, and what they are read into. */
struct kept_models {
    struct tcplan_models *models; /**< reading: are added to */

    /** Writing: the machine that they are of. Reading: only models of these versions of libraries;
     * NULL: all. */
    const struct tcplan_fingerprint *fingerprint;
};

/** As tcplan_models_read() of a text, into a set, which is made where it is NULL; where it fails
 * some may have been added. */
enum tcplan_status models_read_text(struct kept_models *into,
                                    struct tcplan_fingerprint *fingerprint, const char *text,
                                    size_t length, struct tcplan_error *error);

/** What is written of samples, and read into. */
struct kept_samples {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_setup setup;
    struct tcplan_model_samples samples; /**< reading: are added to */
};

#endif
