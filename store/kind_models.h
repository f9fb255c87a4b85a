/**
 * Stored models and samples.
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

/** The models that are written, or the set that models are read into. */
struct stored_models {
    struct tcplan_models *models; /**< receives the models when an entry is read */

    /** the libraries of the models: used for writing; for reading, only models of these library
     * versions are accepted; NULL: all are */
    const struct tcplan_fingerprint *fingerprint;
};

/** Reads models from a text into a set, like tcplan_models_read(). Creates the set if it is
 * NULL. After a failure, some models may have been added. */
enum tcplan_status models_read_text(struct stored_models *into,
                                    struct tcplan_fingerprint *fingerprint, const char *text,
                                    size_t length, struct tcplan_error *error);

/** The samples that are written, or the set that samples are read into. */
struct stored_samples {
    char case_text[TCPLAN_MODEL_TEXT];
    struct tcplan_model_setup setup;
    struct tcplan_model_samples samples; /**< receives the samples when an entry is read */
};

#endif
