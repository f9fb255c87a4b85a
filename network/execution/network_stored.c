/*
 * The text of a stored order: lines that identify the expression and options, then lines with the
 * order.
 *
 *   expression E_ad=A_ab*B_bc*C_cd
 *   sizes 1000,30,20,800
 *   options type=d order=column-major threads=1 ...
 *   found effort=quick timed=2 estimate=0.001 apart=0.001
 *   sums X_cd=...                          only if the distributive law changed the expression
 *   tree T1_bd=B_bc*C_cd; E_ad=A_ab*T1_bd
 *   step seconds=0.0005 timed=1 algorithm=dgemm
 *   step ...                               one line for each step of the tree
 */
#include "tcplan/network_stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "microbench/providers/providers.h"
#include "network/execution/stored.h"
#include "network/network.h"
#include "network/search/fused.h"
#include "store/fields.h"
#include "store/orders.h"
#include "tcplan/recall.h"

enum { COUNT_MOST = 1 << 20 };

/** The line `found`. */
struct search_line {
    int effort;
    int timed;
    bool exact;
    double estimate_seconds;
    double apart_seconds;
};

static const struct field search_fields[] = {
    {INT_OF("effort", search_line, effort, 0, TCPLAN_EFFORT_THOROUGH)},
    {INT_OF("timed", search_line, timed, 0, COUNT_MOST)},
    {FIELD_OF("exact", FLAG, search_line, exact)},
    {FIELD_OF("estimate", REAL, search_line, estimate_seconds)},
    {FIELD_OF("apart", REAL, search_line, apart_seconds)},
    {0},
};

/** A line `step`. */
struct step_line {
    double seconds;
    bool timed;
    double pass_seconds;
    bool pass_streamed;
    int pass_threads;
    char algorithm[TCPLAN_PLAN_TEXT]; /* name of the step's algorithm; empty: unknown */
};

static const struct field step_fields[] = {
    {FIELD_OF("seconds", REAL, step_line, seconds)},
    {FIELD_OF("timed", FLAG, step_line, timed)},
    {FIELD_OF("pass", REAL, step_line, pass_seconds)},
    {FIELD_OF("streamed", FLAG, step_line, pass_streamed)},
    {INT_OF("pass_threads", step_line, pass_threads, 0, COUNT_MOST)},
    {TEXT_OF("algorithm", step_line, algorithm)},
    {0},
};

/* Writing. */

static void add_owned(struct strbuf *out, const char *word, char *text) {
    strbuf_add(out, "%s %s\n", word, text ? text : "");
    if (!text) out->failed = true;
    free(text);
}

/** Returns the lines that identify the expression and the options of an order; NULL if memory runs
 * out. */
static char *identity_of(const struct tcplan_order_key *key) {
    const struct tcplan_plan_setup setup = tcplan_recall_setup(key->rank);
    struct strbuf out = {0};
    add_owned(&out, "expression", tcplan_network_text(key->network));
    strbuf_add(&out, "sizes ");
    for (int i = 0; i < key->network->index_count; i++)
        strbuf_add(&out, "%s%" PRId64, i > 0 ? "," : "", key->extent[i]);
    strbuf_add(&out,
               "\noptions type=%s order=%d threads=%d cache=%d space=%d prefer=%d "
               "alignment=%" PRId64 " workspace=%" PRId64 " objective=%d memory=%" PRId64
               " path=%s\n",
               fields_dtypes[key->dtype], (int)key->network->order, setup.threads, setup.cache,
               setup.space, setup.prefer, setup.alignment_bytes, key->rank->max_workspace_bytes,
               (int)key->objective, key->max_memory_bytes, key->path ? key->path : "");
    return strbuf_finish(&out);
}

char *order_stored_write(const struct tcplan_network_found *found, enum tcplan_effort effort) {
    const struct search_line search = {.effort = (int)effort,
                                       .timed = (int)found->timed,
                                       .exact = found->exact,
                                       .estimate_seconds = found->estimate_seconds,
                                       .apart_seconds = found->apart_seconds};
    struct strbuf out = {0};
    fields_write(&out, "found", search_fields, &search);
    if (found->network) add_owned(&out, "sums", tcplan_network_text(found->network));
    add_owned(&out, "tree", tcplan_tree_text(found->tree));
    for (int s = 0; s < found->tree->step_count; s++) {
        const struct tcplan_tree_step *from = &found->tree->step[s];
        struct step_line step = {.seconds = from->joined == s ? from->alone_seconds : from->seconds,
                                 .timed = from->joined == s ? from->alone_timed : from->timed,
                                 .pass_seconds = from->pass_seconds,
                                 .pass_streamed = from->pass_streamed,
                                 .pass_threads = from->pass_threads};
        const size_t length = from->algorithm ? strlen(from->algorithm) : sizeof step.algorithm;
        if (length < sizeof step.algorithm) memcpy(step.algorithm, from->algorithm, length);
        fields_write(&out, "step", step_fields, &step);
    }
    return strbuf_finish(&out);
}

/* Reading. */

/** State of reading the lines of a text. */
struct lines {
    char *at;
    struct tcplan_error *error;
};

static enum tcplan_status refuse(const struct lines *lines, const char *expected) {
    return error_set(lines->error, TCPLAN_INVALID, "the stored order is damaged: expected %s",
                     expected);
}

/** If the next line begins with `word` and a blank, skips the line and returns its rest,
 * NUL-terminated; otherwise returns NULL. */
static char *take_line(struct lines *lines, const char *word) {
    const size_t length = strlen(word);
    char *end = strchr(lines->at, '\n');
    if (!end || strncmp(lines->at, word, length) != 0 || lines->at[length] != ' ') return NULL;
    char *text = lines->at + length + 1;
    *end = '\0';
    lines->at = end + 1;
    return text;
}

static enum tcplan_status take_fields(void *object, struct lines *lines, const char *word,
                                      const struct field fields[]) {
    const char *text = take_line(lines, word);
    if (!text) return refuse(lines, word);
    return fields_read(object, fields, text - 1, strlen(text) + 1, lines->error);
}

/** Reads the rewritten expression, if there is one, and numbers its tensors as in the original
 * expression. */
static enum tcplan_status read_sums(struct tcplan_network_found *found, struct lines *lines,
                                    const struct tcplan_network *network) {
    const char *text = take_line(lines, "sums");
    if (!text) return TCPLAN_OK;
    enum tcplan_status status =
        tcplan_network_parse(&found->network, text, network->order, lines->error);
    if (status != TCPLAN_OK) return status;
    bool same = found->network->tensor_count == network->tensor_count;
    for (int t = 0; t < found->network->tensor_count && same; t++) {
        const char *name = found->network->operand[found->network->tensor[t]].name;
        int like = 0;
        while (like < network->tensor_count &&
               strcmp(network->operand[network->tensor[like]].name, name) != 0)
            like++;
        same = like < network->tensor_count;
    }
    if (!same) return refuse(lines, "sums of the same tensors");
    return network_number_like(found->network, network) ? TCPLAN_OK : error_no_memory(lines->error);
}

/** Returns the extents of a network whose indices have the same names as those of the given
 * network, possibly in another order; NULL if memory runs out or an index is unknown. */
static int64_t *extents_of(const struct tcplan_network *network,
                           const struct tcplan_order_key *key) {
    int64_t *extent = base_alloc(((size_t)network->index_count + 1) * sizeof *extent);
    for (int i = 0; extent && i < network->index_count; i++) {
        int from = 0;
        while (from < key->network->index_count &&
               strcmp(key->network->index[from], network->index[i]) != 0)
            from++;
        if (from == key->network->index_count) {
            base_free(extent);
            return NULL;
        }
        extent[i] = key->extent[from];
    }
    return extent;
}

static enum tcplan_status read_steps(struct tcplan_tree *tree, struct lines *lines) {
    enum tcplan_status status = TCPLAN_OK;
    for (int s = 0; s < tree->step_count && status == TCPLAN_OK; s++) {
        struct tcplan_tree_step *step = &tree->step[s];
        struct step_line line = {.seconds = 0};
        status = take_fields(&line, lines, "step", step_fields);
        if (status != TCPLAN_OK) break;
        step->seconds = line.seconds;
        step->timed = line.timed;
        step->pass_seconds = line.pass_seconds;
        step->pass_streamed = line.pass_streamed;
        step->pass_threads = line.pass_threads;
        if (!*line.algorithm) continue;
        step->algorithm = base_strdup(line.algorithm);
        if (!step->algorithm) status = error_no_memory(lines->error);
    }
    return status == TCPLAN_OK && *lines->at ? refuse(lines, "the end") : status;
}

/** Reads the lines that follow the line `found`. */
static enum tcplan_status read_order(struct tcplan_network_found *found, struct lines *lines,
                                     const struct tcplan_order_key *key) {
    enum tcplan_status status = read_sums(found, lines, key->network);
    if (status != TCPLAN_OK) return status;
    const struct tcplan_network *network = found->network ? found->network : key->network;
    const char *text = take_line(lines, "tree");
    if (!text) return refuse(lines, "tree");
    int64_t *extent = extents_of(network, key);
    if (!extent) return refuse(lines, "sums with the same indices");
    status = tcplan_tree_parse(&found->tree, network, extent, key->dtype, text, lines->error);
    base_free(extent);
    return status == TCPLAN_OK ? read_steps(found->tree, lines) : status;
}

/** Reads a text; if `out` is NULL, only up to the line `found`. */
static enum tcplan_status read_text(struct tcplan_network_found *out, struct search_line *search,
                                    char *text, const struct tcplan_order_key *key,
                                    struct tcplan_error *error) {
    struct lines lines = {.at = text, .error = error};
    struct tcplan_network_found found = {.tree = NULL};
    enum tcplan_status status = take_fields(search, &lines, "found", search_fields);
    if (status != TCPLAN_OK || !out) return status;
    if (search->effort < (int)key->rank->effort) return TCPLAN_NOT_APPLICABLE;
    status = read_order(&found, &lines, key);
    if (status == TCPLAN_OK) {
        found.timed = search->timed;
        found.exact = search->exact;
        found.estimate_seconds = search->estimate_seconds;
        found.apart_seconds = search->apart_seconds;
        if (key->objective == TCPLAN_OBJECTIVE_TIME)
            status = fused_join_known(found.tree, key->rank, error);
    }
    if (status == TCPLAN_OK) {
        *out = found;
    } else {
        tcplan_network_found_free(&found);
    }
    return status;
}

enum tcplan_status order_stored_read(struct tcplan_network_found *out, char *text,
                                     const struct tcplan_order_key *key,
                                     struct tcplan_error *error) {
    struct search_line search = {.effort = 0};
    return read_text(out, &search, text, key, error);
}

static enum tcplan_status find(struct tcplan_network_found *out, struct search_line *search,
                               const struct tcplan_stored_plans *plans,
                               const struct tcplan_order_key *key, struct tcplan_error *error) {
    char *text = NULL, *identity = identity_of(key);
    if (!identity) return error_no_memory(error);
    enum tcplan_status status = stored_text_find(&text, plans, STORED_ORDERS, identity, error);
    if (status == TCPLAN_OK && text) status = read_text(out, search, text, key, error);
    free(identity);
    base_free(text);
    return status;
}

/** Finds the stored order of a search. Returns it only if its path equals the key's path. */
static enum tcplan_status find_searched(struct tcplan_network_found *out,
                                        const struct tcplan_stored_plans *plans,
                                        const struct tcplan_order_key *key,
                                        struct tcplan_error *error) {
    struct search_line search = {.effort = 0};
    struct tcplan_network_found found = {.tree = NULL};
    struct tcplan_order_key searched = *key;
    searched.path = NULL;
    const enum tcplan_status status = find(&found, &search, plans, &searched, error);
    if (status != TCPLAN_OK) return status;
    char *path = tcplan_tree_path(found.tree);
    const bool same = path && !found.network && strcmp(path, key->path) == 0;
    free(path);
    if (same) {
        *out = found;
    } else {
        tcplan_network_found_free(&found);
    }
    return same ? TCPLAN_OK : TCPLAN_NOT_APPLICABLE;
}

enum tcplan_status tcplan_order_recall(struct tcplan_network_found *out,
                                       const struct tcplan_stored_plans *plans,
                                       const struct tcplan_order_key *key,
                                       struct tcplan_error *error) {
    struct search_line search = {.effort = 0};
    if (provider_has_files()) return TCPLAN_NOT_APPLICABLE;
    const enum tcplan_status status = find(out, &search, plans, key, error);
    return status == TCPLAN_NOT_APPLICABLE && key->path ? find_searched(out, plans, key, error)
                                                        : status;
}

enum tcplan_status tcplan_order_keep(const struct tcplan_stored_plans *plans,
                                     const struct tcplan_order_key *key,
                                     const struct tcplan_network_found *found,
                                     struct tcplan_error *error) {
    struct search_line before = {.effort = 0};
    if (found->timed == 0 || provider_has_files()) return TCPLAN_OK;
    if (find(NULL, &before, plans, key, NULL) == TCPLAN_OK &&
        before.effort > (int)key->rank->effort)
        return TCPLAN_OK;
    char *identity = identity_of(key), *text = order_stored_write(found, key->rank->effort);
    const enum tcplan_status status =
        identity && text ? stored_text_keep(plans, STORED_ORDERS, identity, text, error)
                         : error_no_memory(error);
    free(identity);
    free(text);
    return status;
}
