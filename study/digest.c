#include "tcplan/study/digest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/sorted.h"
#include "tcplan/result_fields.h"

/** Limits of the numbers in a digest, so that quotients and steps of axes neither overflow nor
 * vanish. */
#define SMALLEST 1e-99
#define LARGEST 1e99

struct digest_texts {
    struct arena arena;
    bool no_memory;
};

static bool sample_add(struct tcplan_sample *sample, double value) {
    if (sample->count == sample->capacity) {
        const size_t capacity = 2 * sample->capacity + 64;
        double *values = base_realloc(sample->value, capacity * sizeof *values);
        if (!values) return false;
        sample->value = values;
        sample->capacity = capacity;
    }
    sample->value[sample->count++] = value;
    return true;
}

double tcplan_sample_quantile(struct tcplan_sample *sample, double share) {
    if (sample->count == 0) return 0;
    sort_numbers(sample->value, sample->count);
    return sorted_quantile(sample->value, sample->count, share);
}

void tcplan_span_add(struct tcplan_span *span, double value) {
    if (!(value > SMALLEST && value < LARGEST)) return;
    if (span->high == 0 || value < span->low) span->low = value;
    if (value > span->high) span->high = value;
}

struct tcplan_facts tcplan_result_facts(const struct tcplan_result *result) {
    struct tcplan_facts facts = {0};
    if (result->reason || result->algorithm_count == 0) return facts;
    const struct tcplan_result_algorithm *winner = tcplan_result_winner(result);
    facts.winner = winner->name;
    facts.predicted_seconds = winner->predicted_seconds;
    facts.measured_seconds = winner->measured_seconds;
    facts.seconds = facts.measured_seconds > 0 ? facts.measured_seconds : facts.predicted_seconds;
    if (facts.seconds > 0) facts.gflops = result->flops * 1e-9 / facts.seconds;
    if (result->gemm_gflops > 0) facts.share = facts.gflops / result->gemm_gflops;
    if (!isfinite(facts.share)) facts.share = 0;
    if (facts.seconds > 0) facts.limit_share = result->limit_seconds / facts.seconds;
    if (facts.measured_seconds > 0) facts.error = facts.predicted_seconds / facts.measured_seconds;
    facts.regret = tcplan_result_regret(result);
    return facts;
}

bool tcplan_result_was_planned(const struct tcplan_result *result) {
    return !result->reused_from && result->planning_seconds > 0;
}

/** Copies a text into the memory of the digest; if memory runs out, returns "" and records the
 * failure. */
static const char *keep(struct tcplan_digest *digest, const char *text) {
    const char *copy = arena_strndup(&digest->texts->arena, text, strlen(text));
    if (!copy) digest->texts->no_memory = true;
    return copy ? copy : "";
}

/** Copies the texts of the provenance into the memory of the digest. */
static void keep_texts(struct tcplan_digest *digest) {
    for (const struct tcplan_field *field = tcplan_provenance_fields; field->name; field++) {
        const char **text = (const char **)(void *)((char *)&digest->provenance + field->offset);
        if (field->kind == TCPLAN_FIELD_TEXT) *text = keep(digest, *text ? *text : "");
    }
}

static void keep_provenance(struct tcplan_digest *digest,
                            const struct tcplan_provenance *provenance) {
    if (!provenance) return;
    if (digest->has_provenance) {
        if (provenance->id != digest->provenance.id) digest->mixed = true;
        return;
    }
    digest->has_provenance = true;
    digest->provenance = *provenance;
    keep_texts(digest);
}

static void note(struct tcplan_digest *digest, struct tcplan_notable *notable, double value,
                 const char *name) {
    char *copy = base_strdup(name);
    if (!copy) digest->texts->no_memory = true;
    free(notable->name);
    *notable = (struct tcplan_notable){.value = value, .name = copy};
}

/** Returns the group of a name, created at first use; "all others" if there are too many groups. */
static struct tcplan_digest_group *group_of(struct tcplan_digest *digest, const char *name) {
    for (int g = 0; g < digest->group_count; g++) {
        if (strcmp(digest->group[g].name, name) == 0) return &digest->group[g];
    }
    if (digest->group_count == TCPLAN_DIGEST_GROUPS)
        return &digest->group[TCPLAN_DIGEST_GROUPS - 1];
    struct tcplan_digest_group *group = &digest->group[digest->group_count++];
    *group = (struct tcplan_digest_group){
        .name = keep(digest, digest->group_count == TCPLAN_DIGEST_GROUPS ? "all others" : name)};
    return group;
}

/** Adds the numbers of a record to samples, without zeros; returns false if memory runs out. */
static bool add_numbers(struct tcplan_sample *share, struct tcplan_sample *error,
                        struct tcplan_sample *regret, const struct tcplan_facts *facts) {
    return (facts->share <= 0 || sample_add(share, facts->share)) &&
           (facts->error <= 0 || sample_add(error, facts->error)) &&
           (facts->regret <= 0 || sample_add(regret, facts->regret));
}

static void add_to_group(struct tcplan_digest *digest, const struct tcplan_result *result,
                         const struct tcplan_facts *facts) {
    struct tcplan_digest_group *group = group_of(digest, result->group);
    if (!add_numbers(&group->share, &group->error, &group->regret, facts))
        digest->texts->no_memory = true;
    group->records++;
    group->failed += result->reason != NULL;
    group->planning_seconds += result->planning_seconds;
}

static void widen_spans(struct tcplan_digest *digest, const struct tcplan_result *result,
                        const struct tcplan_facts *facts) {
    for (size_t a = 0; a < result->algorithm_count; a++) {
        const struct tcplan_result_algorithm *algorithm = &result->algorithm[a];
        if (algorithm->predicted_seconds <= 0 || algorithm->measured_seconds <= 0) continue;
        digest->predicted_points++;
        tcplan_span_add(&digest->times, algorithm->predicted_seconds);
        tcplan_span_add(&digest->times, algorithm->measured_seconds);
    }
    if (facts->share > 0) tcplan_span_add(&digest->flops, result->flops);
    if (!tcplan_result_was_planned(result) || facts->seconds <= 0) return;
    tcplan_span_add(&digest->seconds, facts->seconds);
    tcplan_span_add(&digest->planning, result->planning_seconds);
}

static void note_extremes(struct tcplan_digest *digest, const struct tcplan_result *result,
                          const struct tcplan_facts *facts) {
    if (facts->share > 0 &&
        (!digest->lowest_share.name || facts->share < digest->lowest_share.value)) {
        note(digest, &digest->lowest_share, facts->share, result->name);
    }
    if (facts->regret > 0 &&
        (!digest->largest_regret.name || facts->regret > digest->largest_regret.value)) {
        note(digest, &digest->largest_regret, facts->regret, result->name);
    }
}

static void note_time(struct tcplan_digest *digest, const char *finished) {
    if (!*finished || (digest->last_finished && strcmp(finished, digest->last_finished) <= 0))
        return;
    free(digest->last_finished);
    digest->last_finished = base_strdup(finished);
    if (!digest->last_finished) digest->texts->no_memory = true;
}

/** Adds a record to the digest (a tcplan_result_fn). */
static enum tcplan_status add_record(void *context, const struct tcplan_result *result,
                                     struct tcplan_error *error) {
    struct tcplan_digest *digest = context;
    const struct tcplan_facts facts = tcplan_result_facts(result);
    keep_provenance(digest, result->provenance);
    digest->reused += result->reused_from != NULL;
    digest->planning_seconds += result->planning_seconds;
    if (result->gemm_gflops > digest->gemm_gflops) digest->gemm_gflops = result->gemm_gflops;
    if (!add_numbers(&digest->share, &digest->error, &digest->regret, &facts))
        digest->texts->no_memory = true;
    if (facts.limit_share > 0 && !sample_add(&digest->limit_share, facts.limit_share))
        digest->texts->no_memory = true;
    add_to_group(digest, result, &facts);
    widen_spans(digest, result, &facts);
    note_extremes(digest, result, &facts);
    note_time(digest, result->finished);
    return digest->texts->no_memory ? error_no_memory(error) : TCPLAN_OK;
}

enum tcplan_status tcplan_digest_read(struct tcplan_digest *digest, struct tcplan_error *error) {
    tcplan_digests_name(digest, 1);
    digest->texts = base_alloc_zero(1, sizeof *digest->texts);
    if (!digest->texts) return error_no_memory(error);
    return tcplan_results_walk(digest->path, add_record, digest, &digest->summary, error);
}

/** Extends a name, which is the end of a path, by the preceding part of the path. Returns the whole
 * path if there is no preceding part. */
static const char *one_part_more(const char *path, const char *name) {
    while (name > path && name[-1] == '/') name--;
    while (name > path && name[-1] != '/') name--;
    return name;
}

static bool has_end(const char *path, const char *end) {
    const size_t length = strlen(path), size = strlen(end);
    return length >= size && strcmp(path + length - size, end) == 0 &&
           (length == size || path[length - size - 1] == '/');
}

/** Returns whether the name of document `d` is also the end of another document's path. A second
 * document with the same path does not count. */
static bool is_ambiguous(const struct tcplan_digest digest[], int count, int d) {
    for (int other = 0; other < count; other++) {
        if (strcmp(digest[other].path, digest[d].path) != 0 &&
            has_end(digest[other].path, digest[d].name))
            return true;
    }
    return false;
}

void tcplan_digests_name(struct tcplan_digest digest[], int count) {
    for (int d = 0; d < count; d++) {
        const char *path = digest[d].path;
        digest[d].name = one_part_more(path, path + strlen(path));
        while (digest[d].name > path && is_ambiguous(digest, count, d))
            digest[d].name = one_part_more(path, digest[d].name);
    }
}

struct tcplan_regret tcplan_digest_regret(const struct tcplan_digest *digest) {
    struct tcplan_regret words = {0};
    for (size_t r = 0; r < digest->regret.count; r++) {
        words.fastest += digest->regret.value[r] <= 1;
        words.mean_loss += (digest->regret.value[r] - 1) / (double)digest->regret.count;
    }
    return words;
}

static void sample_free(struct tcplan_sample *sample) {
    free(sample->value);
    *sample = (struct tcplan_sample){0};
}

void tcplan_digest_free(struct tcplan_digest *digest) {
    for (int g = 0; g < digest->group_count; g++) {
        sample_free(&digest->group[g].share);
        sample_free(&digest->group[g].error);
        sample_free(&digest->group[g].regret);
    }
    sample_free(&digest->share);
    sample_free(&digest->error);
    sample_free(&digest->regret);
    sample_free(&digest->limit_share);
    if (digest->texts) arena_free(&digest->texts->arena);
    base_free(digest->texts);
    free(digest->last_finished);
    free(digest->lowest_share.name);
    free(digest->largest_regret.name);
    *digest = (struct tcplan_digest){0};
}
