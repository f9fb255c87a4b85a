/*
 * Models and samples as kinds of entries: models as the XML that is exchanged as well, samples by
 * tables of fields.
 */
#include "store/kind_models.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "models/words.h"
#include "store/fields.h"
#include "store/kinds.h"
#include "tcplan/models_file.h"

/** A machine's models are measured once. */
enum { DAYS = 36500 };

/* Models. */

/** A tcplan_write_fn. */
static bool append(void *context, const char *text, size_t size) {
    strbuf_append(context, text, size);
    return !((const struct strbuf *)context)->failed;
}

static void write_models(struct strbuf *out, const void *value) {
    const struct kept_models *kept = value;
    if (tcplan_models_write(kept->models, kept->fingerprint, append, out, NULL) != TCPLAN_OK)
        out->failed = true;
}

static enum tcplan_status read_models(void *value, const char *content, size_t length,
                                      struct tcplan_error *error) {
    struct tcplan_fingerprint machine; /* the entry's head has it */
    return models_read_text(value, &machine, content, length, error);
}

static void show_model(struct strbuf *out, const struct tcplan_model *model) {
    char domain[TCPLAN_MODEL_DOMAIN_TEXT];
    tcplan_model_domain_print(domain, &model->domain);
    strbuf_add(out, "%s  on %s of %s, %d thread%s, %s: %zu piece%s, error up to %.3g %%\n",
               model->case_text, domain, model->setup.provider, model->setup.threads,
               model->setup.threads == 1 ? "" : "s",
               tcplan_model_placement_name(model->setup.placement), model->piece_count,
               model->piece_count == 1 ? "" : "s", 100 * tcplan_model_error(model));
}

static void print_models(struct strbuf *out, const void *value) {
    const struct kept_models *kept = value;
    const size_t count = tcplan_models_count(kept->models);
    strbuf_add(out, "%zu model%s\n\n", count, count == 1 ? "" : "s");
    for (size_t m = 0; m < count; m++) show_model(out, tcplan_models_at(kept->models, m));
}

static void free_models(void *value) {
    tcplan_models_free(((struct kept_models *)value)->models);
    base_free(value);
}

const struct store_kind store_kind_models = {.name = "models",
                                             .version = 2,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                             .dear = true,
                                             .size = sizeof(struct kept_models),
                                             .write = write_models,
                                             .read = read_models,
                                             .print = print_models,
                                             .free = free_models};

/* Samples. */

static const struct field samples_fields[] = {
    {TEXT_OF("case", kept_samples, case_text)},
    {TEXT_OF("provider", kept_samples, setup.provider)},
    {TEXT_OF("version", kept_samples, setup.version)},
    {INT_OF("threads", kept_samples, setup.threads, 1, INT_MAX)},
    {WORD_OF("placement", kept_samples, setup.placement, model_placements)},
    {0},
};

#define SIZE(label, i) INT64_OF(label, tcplan_model_sample, size[i], 0, TCPLAN_MODEL_LARGEST)
#define NS(label, statistic) FIELD_OF(label, REAL, tcplan_model_sample, ns[statistic])

static const struct field sample_fields[] = {
    {SIZE("size1", 0)},
    {SIZE("size2", 1)},
    {SIZE("size3", 2)},
    {SIZE("size4", 3)},
    {INT_OF("repetitions", tcplan_model_sample, repetitions, 0, INT_MAX)},
    {NS("minimum", TCPLAN_MODEL_MINIMUM)},
    {NS("median", TCPLAN_MODEL_MEDIAN)},
    {NS("maximum", TCPLAN_MODEL_MAXIMUM)},
    {NS("mean", TCPLAN_MODEL_MEAN)},
    {NS("deviation", TCPLAN_MODEL_DEVIATION)},
    {0},
};

static enum tcplan_status take_sample(void *value, const void *read, struct tcplan_error *error) {
    struct kept_samples *kept = value;
    if (*kept->case_text && kept->setup.threads >= 1)
        return tcplan_model_samples_add(&kept->samples, read, error);
    return error_set(error, TCPLAN_INVALID,
                     "expected a line of what the samples are of before them");
}

static const struct fields_line sample_lines[] = {
    {LINE_SELF("samples", samples_fields, kept_samples)},
    {LINE_GROWN("sample", sample_fields, kept_samples, samples.sample, samples.count),
     .take = take_sample},
    {0},
};

static void print_samples(struct strbuf *out, const void *value) {
    const struct kept_samples *kept = value;
    strbuf_add(out, "%zu point%s of %s of %s, %d thread%s, %s\n", kept->samples.count,
               kept->samples.count == 1 ? "" : "s", kept->case_text, kept->setup.provider,
               kept->setup.threads, kept->setup.threads == 1 ? "" : "s",
               tcplan_model_placement_name(kept->setup.placement));
}

static void free_samples(void *value) {
    tcplan_model_samples_free(&((struct kept_samples *)value)->samples);
    base_free(value);
}

const struct store_kind store_kind_samples = {.name = "samples",
                                              .version = 2,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                              .dear = true,
                                              .size = sizeof(struct kept_samples),
                                              .line = sample_lines,
                                              .nothing = "there is no sample in it",
                                              .print = print_samples,
                                              .free = free_samples};
