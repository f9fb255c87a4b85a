#include "store/kind_models.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "models/model.h"
#include "models/words.h"
#include "store/exact.h"
#include "store/kinds.h"
#include "store/model_fields.h"

/** A machine's models are measured once. */
enum { DAYS = 36500 };

/** Bytes of a coefficient for all statistics. */
enum { COEFFICIENT_LENGTH = EXACT_LENGTH * TCPLAN_MODEL_STATISTICS };

/* Numbers in a line. */

/** What is left of a line. */
struct rest {
    const char *at;
    const char *end;
};

/** A blank and a whole number from 0 to `most`. */
static bool take_whole(struct rest *rest, int64_t most, int64_t *out) {
    if (rest->end - rest->at < 2 || *rest->at != ' ') return false;
    const char *first = ++rest->at;
    for (*out = 0; rest->at < rest->end && *rest->at >= '0' && *rest->at <= '9'; rest->at++) {
        *out = 10 * *out + (*rest->at - '0');
        if (*out > most) return false;
    }
    return rest->at > first;
}

static bool take_int(struct rest *rest, int *out) {
    int64_t value = 0;
    const bool good = take_whole(rest, INT_MAX, &value);
    *out = (int)value;
    return good;
}

/** A blank and `count` exact numbers. */
static bool take_exact(struct rest *rest, double out[], size_t count) {
    const size_t length = count * EXACT_LENGTH;
    if ((size_t)(rest->end - rest->at) < length + 1 || *rest->at != ' ') return false;
    const bool good = exact_read(out, count, rest->at + 1);
    rest->at += length + 1;
    return good;
}

/* Writing models. */

static void write_whole(struct strbuf *out, const int64_t value[], int count) {
    for (int i = 0; i < count; i++) strbuf_add(out, " %" PRId64, value[i]);
}

static void write_piece(struct strbuf *out, const struct tcplan_model_piece *piece) {
    const int count = piece->domain.count;
    strbuf_add(out, "piece");
    write_whole(out, piece->domain.low, count);
    write_whole(out, piece->domain.high, count);
    for (int i = 0; i < count; i++) strbuf_add(out, " %d", piece->degree[i]);
    strbuf_add(out, " %d ", piece->points);
    exact_write(out, &piece->error, 1);
    strbuf_add(out, " ");
    exact_write(out, piece->coefficient[0],
                (size_t)tcplan_model_coefficients(piece->degree, count) * TCPLAN_MODEL_STATISTICS);
    strbuf_add(out, "\n");
}

static void write_model(struct strbuf *out, const struct tcplan_model *model) {
    size_t coefficients = 0;
    for (size_t p = 0; p < model->piece_count; p++) {
        coefficients +=
            (size_t)tcplan_model_coefficients(model->piece[p].degree, model->domain.count);
    }
    fields_write(out, "model", model_fields, model);
    for (int i = 0; i < model->domain.count; i++)
        fields_write(out, "size", model_size_fields[i], model);
    if (model->check.points > 0) fields_write(out, "check", model_check_fields, model);
    strbuf_add(out, "pieces %zu %zu\n", model->piece_count, coefficients);
    for (size_t p = 0; p < model->piece_count; p++) write_piece(out, &model->piece[p]);
}

static void write_models(struct strbuf *out, const void *value) {
    const struct kept_models *kept = value;
    for (size_t m = 0; m < kept->count; m++) write_model(out, kept->model[m]);
}

/* Reading models. */

/** Where reading is. */
struct reading {
    struct read_models *into;
    size_t length;                           /* of the content */
    struct tcplan_model head;                /* of the model whose line was read */
    bool has_head;                           /* its pieces are not there yet */
    struct tcplan_model *open;               /* the model whose pieces are read; NULL: none */
    size_t pieces;                           /* that were read of it */
    double (*room)[TCPLAN_MODEL_STATISTICS]; /* for the next piece */
    size_t left;                             /* coefficients that there is room for */
};

/** Whether a model's library is the one of the fingerprint, or one that it does not tell of. */
static bool is_of_libraries(const struct tcplan_model *model,
                            const struct tcplan_fingerprint *fingerprint) {
    enum tcplan_provider provider;
    if (!fingerprint || !tcplan_provider_find(&provider, model->setup.provider) ||
        provider >= TCPLAN_PROVIDER_EMITTED)
        return true;
    return strcmp(fingerprint->part[TCPLAN_FINGERPRINT_LIBRARIES + (int)provider],
                  model->setup.version) == 0;
}

static enum tcplan_status end_model(struct reading *reading, struct tcplan_error *error) {
    struct read_models *into = reading->into;
    if (reading->left > 0)
        return error_set(error, TCPLAN_INVALID,
                         "the pieces have fewer coefficients than the model says");
    enum tcplan_status status = model_finish(reading->open, error);
    if (status != TCPLAN_OK) return status;
    const bool wanted = is_of_libraries(reading->open, into->fingerprint);
    if (wanted) {
        status = tcplan_models_add(into->models, reading->open, error);
        if (status != TCPLAN_OK) return status;
    } else {
        tcplan_model_free(reading->open);
        into->skipped++;
    }
    reading->open = NULL;
    return TCPLAN_OK;
}

static enum tcplan_status take_head(void *value, const char *text, size_t length,
                                    struct tcplan_error *error) {
    struct reading *reading = value;
    if (reading->open || reading->has_head)
        return error_set(error, TCPLAN_INVALID, "expected pieces of the model before");
    reading->head = (struct tcplan_model){0};
    reading->has_head = true;
    return fields_read(&reading->head, model_fields, text, length, error);
}

static enum tcplan_status take_size(void *value, const char *text, size_t length,
                                    struct tcplan_error *error) {
    struct reading *reading = value;
    struct tcplan_model_domain *domain = &reading->head.domain;
    if (!reading->has_head || domain->count == TCPLAN_MODEL_SIZES) {
        return error_set(error, TCPLAN_INVALID, "expected a model, and up to %d sizes of it",
                         TCPLAN_MODEL_SIZES);
    }
    return fields_read(&reading->head, model_size_fields[domain->count++], text, length, error);
}

static enum tcplan_status take_check(void *value, const char *text, size_t length,
                                     struct tcplan_error *error) {
    struct reading *reading = value;
    if (!reading->has_head)
        return error_set(error, TCPLAN_INVALID, "expected a model in front of its check");
    return fields_read(&reading->head, model_check_fields, text, length, error);
}

/** Takes no more memory than the content can fill. */
static enum tcplan_status take_count(void *value, const char *text, size_t length,
                                     struct tcplan_error *error) {
    struct reading *reading = value;
    struct rest rest = {.at = text, .end = text + length};
    int64_t pieces, coefficients;
    const int64_t most = (int64_t)(reading->length / COEFFICIENT_LENGTH);
    const bool good = reading->has_head && take_whole(&rest, TCPLAN_MODEL_PIECES, &pieces) &&
                      take_whole(&rest, most, &coefficients);
    if (!good || rest.at < rest.end || pieces < 1 || pieces > coefficients) {
        return error_set(error, TCPLAN_INVALID,
                         "expected a model, and then how many pieces and coefficients it has");
    }
    const enum tcplan_status status =
        model_new(&reading->open, (size_t)pieces, (size_t)coefficients, &reading->room, error);
    if (status != TCPLAN_OK) return status;
    reading->head.piece = reading->open->piece;
    reading->head.tree = reading->open->tree;
    reading->head.piece_count = reading->open->piece_count;
    *reading->open = reading->head;
    reading->has_head = false;
    reading->pieces = 0;
    reading->left = (size_t)coefficients;
    return TCPLAN_OK;
}

static bool take_box(struct rest *rest, struct tcplan_model_piece *piece, int count) {
    bool good = true;
    piece->domain.count = count;
    for (int i = 0; i < count; i++)
        good = good && take_whole(rest, TCPLAN_MODEL_LARGEST, &piece->domain.low[i]);
    for (int i = 0; i < count; i++)
        good = good && take_whole(rest, TCPLAN_MODEL_LARGEST, &piece->domain.high[i]);
    for (int i = 0; i < count; i++)
        good = good && take_int(rest, &piece->degree[i]) && piece->degree[i] <= TCPLAN_MODEL_DEGREE;
    return good && take_int(rest, &piece->points) && take_exact(rest, &piece->error, 1);
}

static enum tcplan_status take_piece(void *value, const char *text, size_t length,
                                     struct tcplan_error *error) {
    struct reading *reading = value;
    struct rest rest = {.at = text, .end = text + length};
    if (!reading->open)
        return error_set(error, TCPLAN_INVALID, "expected a model in front of its pieces");
    struct tcplan_model_piece *piece = &reading->open->piece[reading->pieces];
    const int count = reading->open->domain.count;
    bool good = take_box(&rest, piece, count);
    const size_t coefficients = good ? (size_t)tcplan_model_coefficients(piece->degree, count) : 0;
    good = good && coefficients <= reading->left &&
           take_exact(&rest, reading->room[0], coefficients * TCPLAN_MODEL_STATISTICS);
    if (!good || rest.at < rest.end) {
        return error_set(error, TCPLAN_INVALID,
                         "expected the ends, degrees, points, error and coefficients of a piece");
    }
    piece->coefficient = reading->room;
    reading->room += coefficients;
    reading->left -= coefficients;
    reading->pieces++;
    return reading->pieces == reading->open->piece_count ? end_model(reading, error) : TCPLAN_OK;
}

static const struct fields_line model_lines[] = {
    {.word = "model", .take_text = take_head},  {.word = "size", .take_text = take_size},
    {.word = "check", .take_text = take_check}, {.word = "pieces", .take_text = take_count},
    {.word = "piece", .take_text = take_piece}, {0}};

static enum tcplan_status read_models(void *value, const char *content, size_t length,
                                      struct tcplan_error *error) {
    struct reading reading = {.into = value, .length = length};
    enum tcplan_status status =
        fields_read_lines(&reading, model_lines, content, length, "there is no model in it", error);
    if (status == TCPLAN_OK && (reading.open || reading.has_head)) {
        status = error_set(error, TCPLAN_INVALID, "the last model lacks pieces");
    }
    tcplan_model_free(reading.open);
    return status;
}

/* Showing models. */

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
    struct read_models into = {.models = tcplan_models_new()};
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
                                             .version = 1,
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

static void write_samples(struct strbuf *out, const void *value) {
    const struct kept_samples *kept = value;
    fields_write(out, "samples", samples_fields, kept);
    for (size_t s = 0; s < kept->samples.count; s++) {
        const struct tcplan_model_sample *sample = &kept->samples.sample[s];
        strbuf_add(out, "sample");
        write_whole(out, sample->size, TCPLAN_MODEL_SIZES);
        strbuf_add(out, " %d ", sample->repetitions);
        exact_write(out, sample->ns, TCPLAN_MODEL_STATISTICS);
        strbuf_add(out, "\n");
    }
}

static enum tcplan_status take_sample(void *value, const char *text, size_t length,
                                      struct tcplan_error *error) {
    struct kept_samples *kept = value;
    struct rest rest = {.at = text, .end = text + length};
    struct tcplan_model_sample sample = {0};
    bool good = *kept->case_text && kept->setup.threads >= 1;
    for (int i = 0; i < TCPLAN_MODEL_SIZES; i++)
        good = good && take_whole(&rest, TCPLAN_MODEL_LARGEST, &sample.size[i]);
    good = good && take_int(&rest, &sample.repetitions) &&
           take_exact(&rest, sample.ns, TCPLAN_MODEL_STATISTICS);
    if (!good || rest.at < rest.end) {
        return error_set(
            error, TCPLAN_INVALID,
            "expected of what the samples are, and then sizes, repetitions and times of each");
    }
    return tcplan_model_samples_add(&kept->samples, &sample, error);
}

static const struct fields_line sample_lines[] = {{.word = "samples", .field = samples_fields},
                                                  {.word = "sample", .take_text = take_sample},
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
                                              .version = 1,
                                              .days = DAYS,
                                              .parts = TCPLAN_FINGERPRINT_LIBRARIES,
                                              .dear = true,
                                              .write = write_samples,
                                              .read = read_samples,
                                              .show = show_samples};
