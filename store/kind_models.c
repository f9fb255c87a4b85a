/*
 * Models and samples as kinds of entries: models as the XML that is exchanged as well, samples by
 * tables of fields.
 */
#include "store/kind_models.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

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

/** A content being read. */
struct source {
    const char *at;
    size_t left;
};

/** A tcplan_read_fn. */
static ptrdiff_t read_source(void *context, char *buffer, size_t size) {
    struct source *source = context;
    if (size > source->left) size = source->left;
    memcpy(buffer, source->at, size);
    source->at += size;
    source->left -= size;
    return (ptrdiff_t)size;
}

static enum tcplan_status read_models(void *value, const char *content, size_t length,
                                      struct tcplan_error *error) {
    struct source source = {.at = content, .left = length};
    struct tcplan_fingerprint machine; /* the entry's head has it */
    return models_read(value, &machine, read_source, &source, error);
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

static enum tcplan_status show_models(struct strbuf *out, const char *content, size_t length,
                                      struct tcplan_error *error) {
    struct kept_models into = {.models = tcplan_models_new()};
    if (!into.models) return error_no_memory(error);
    const enum tcplan_status status = read_models(&into, content, length, error);
    const size_t count = tcplan_models_count(into.models);
    if (status == TCPLAN_OK && out) {
        strbuf_add(out, "%zu model%s\n\n", count, count == 1 ? "" : "s");
        for (size_t m = 0; m < count; m++) show_model(out, tcplan_models_at(into.models, m));
    }
    tcplan_models_free(into.models);
    return status;
}

const struct store_kind store_kind_models = {.name = "models",
                                             .version = 2,
                                             .days = DAYS,
                                             .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                             .dear = true,
                                             .write = write_models,
                                             .read = read_models,
                                             .show = show_models};

/* Samples. */

#define OF(label, kind, member)                                                                    \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct kept_samples, member)

static const struct field samples_fields[] = {
    {OF("case", TEXT, case_text), .size = TCPLAN_MODEL_TEXT},
    {OF("provider", TEXT, setup.provider), .size = TCPLAN_MODEL_NAME},
    {OF("version", TEXT, setup.version), .size = TCPLAN_MODEL_TEXT},
    {OF("threads", INT, setup.threads), .lowest = 1, .highest = INT_MAX},
    {OF("placement", WORD, setup.placement), .word = model_placements},
    {0},
};

#undef OF

#define OF(label, kind, member)                                                                    \
    .name = (label), .type = FIELD_##kind, .offset = offsetof(struct tcplan_model_sample, member)
#define SIZE(label, i) OF(label, INT64, size[i]), .lowest = 0, .highest = TCPLAN_MODEL_LARGEST

static const struct field sample_fields[] = {
    {SIZE("size1", 0)},
    {SIZE("size2", 1)},
    {SIZE("size3", 2)},
    {SIZE("size4", 3)},
    {OF("repetitions", INT, repetitions), .lowest = 0, .highest = INT_MAX},
    {OF("minimum", REAL, ns[TCPLAN_MODEL_MINIMUM])},
    {OF("median", REAL, ns[TCPLAN_MODEL_MEDIAN])},
    {OF("maximum", REAL, ns[TCPLAN_MODEL_MAXIMUM])},
    {OF("mean", REAL, ns[TCPLAN_MODEL_MEAN])},
    {OF("deviation", REAL, ns[TCPLAN_MODEL_DEVIATION])},
    {0},
};

static void write_samples(struct strbuf *out, const void *value) {
    const struct kept_samples *kept = value;
    fields_write(out, "samples", samples_fields, kept);
    for (size_t s = 0; s < kept->samples.count; s++)
        fields_write(out, "sample", sample_fields, &kept->samples.sample[s]);
}

static enum tcplan_status take_sample(void *value, const void *read, struct tcplan_error *error) {
    struct kept_samples *kept = value;
    if (*kept->case_text && kept->setup.threads >= 1)
        return tcplan_model_samples_add(&kept->samples, read, error);
    return error_set(error, TCPLAN_INVALID,
                     "expected a line of what the samples are of before them");
}

static const struct fields_line sample_lines[] = {
    {.word = "samples", .field = samples_fields},
    {.word = "sample", .field = sample_fields, .take = take_sample},
    {0}};

static enum tcplan_status read_samples(void *value, const char *content, size_t length,
                                       struct tcplan_error *error) {
    return fields_read_lines(value, sample_lines, content, length, "there is no sample in it",
                             error);
}

static enum tcplan_status show_samples(struct strbuf *out, const char *content, size_t length,
                                       struct tcplan_error *error) {
    struct kept_samples kept = {0};
    const enum tcplan_status status = read_samples(&kept, content, length, error);
    if (status == TCPLAN_OK && out) {
        strbuf_add(out, "%zu point%s of %s of %s, %d thread%s, %s\n", kept.samples.count,
                   kept.samples.count == 1 ? "" : "s", kept.case_text, kept.setup.provider,
                   kept.setup.threads, kept.setup.threads == 1 ? "" : "s",
                   tcplan_model_placement_name(kept.setup.placement));
    }
    tcplan_model_samples_free(&kept.samples);
    return status;
}

const struct store_kind store_kind_samples = {.name = "samples",
                                              .version = 2,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                              .dear = true,
                                              .write = write_samples,
                                              .read = read_samples,
                                              .show = show_samples};
