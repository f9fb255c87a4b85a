#include "cli/commands/blocked/blocked_request.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cli/render/text/values.h"

enum { USUAL_BLOCK = 64, SIZES_TEXT = 400 };

/* Sweeps. */

int64_t blocked_sweep_count(const struct blocked_sweep *sweep) {
    return (sweep->last - sweep->first) / sweep->step + 1;
}

int64_t blocked_sweep_at(const struct blocked_sweep *sweep, int64_t place) {
    return sweep->first + place * sweep->step;
}

int64_t blocked_request_points(const struct blocked_request *request) {
    int64_t most = 1;
    for (int s = 0; s < request->size_count; s++) {
        const int64_t count = blocked_sweep_count(&request->size[s]);
        if (count > most) most = count;
    }
    return most;
}

/* sweep = number [ ":" number [ ":" number ] ] */
static bool read_sweep(struct blocked_sweep *out, const char *text, int64_t least) {
    const char *at = text_number(&out->first, text, INT_MAX);
    out->last = out->first;
    out->step = 1;
    if (at && *at == ':') {
        at = text_number(&out->last, at + 1, INT_MAX);
        if (at && *at == ':') at = text_number(&out->step, at + 1, INT_MAX);
    }
    return at && *at == '\0' && out->first >= least && out->last >= out->first && out->step > 0;
}

static enum exit_status set_sweep(const struct blocked_request *request, struct blocked_sweep *out,
                                  const char *option, const char *text, int64_t least) {
    if (read_sweep(out, text, least)) return EXIT_DONE;
    return options_refuse(request->options,
                          "--%s expects a number from %d to %d, or first:last:step, found '%.80s'",
                          option, (int)least, INT_MAX, text);
}

/* Sizes by name. */

static const struct tcplan_blocks *blocks_of(const struct blocked_request *request) {
    return tcplan_blocked_blocks(request->algorithm[0]);
}

static enum exit_status refuse_named(const struct blocked_request *request, const char *found) {
    const struct tcplan_blocks *blocks = blocks_of(request);
    struct strbuf names = {0};
    for (int s = 0; s < blocks->size_count; s++)
        strbuf_add(&names, "%s%s", s == 0 ? "" : ", ", blocks->size_name[s]);
    diagnose("--sizes expects NAME=NUMBER or NAME=first:last:step for each of %s, found '%.80s'",
             names.failed || !names.text ? "the sizes" : names.text, found);
    strbuf_free(&names);
    return options_usage(request->options);
}

/** Returns the number of the size with this name; -1 if there is none. */
static int size_named(const struct tcplan_blocks *blocks, const char *name, size_t length) {
    for (int s = 0; s < blocks->size_count; s++) {
        if (text_is(name, length, blocks->size_name[s])) return s;
    }
    return -1;
}

/* sizes = name { "=" name } "=" sweep { "," ... } */
static enum exit_status read_named(struct blocked_request *out) {
    const struct tcplan_blocks *blocks = blocks_of(out);
    bool is_read[TCPLAN_BLOCK_SIZES] = {false};
    char text[SIZES_TEXT];
    if (strlen(out->options->sizes) >= sizeof text) return refuse_named(out, out->options->sizes);
    snprintf(text, sizeof text, "%s", out->options->sizes);
    for (char *at = text; at;) {
        char *const next = strpbrk(at, ", ");
        if (next) *next = '\0';
        const char *const value = strrchr(at, '=');
        struct blocked_sweep sweep;
        if (!value || !read_sweep(&sweep, value + 1, 0)) return refuse_named(out, at);
        for (const char *name = at; name <= value;) {
            const size_t length = strcspn(name, "=");
            const int size = size_named(blocks, name, length);
            if (size < 0 || is_read[size]) return refuse_named(out, at);
            is_read[size] = true;
            out->size[size] = sweep;
            name += length + 1;
        }
        at = next ? next + 1 + strspn(next + 1, ", ") : NULL;
        if (at && !*at) at = NULL;
    }
    for (int s = 0; s < blocks->size_count; s++) {
        if (!is_read[s]) return refuse_named(out, out->options->sizes);
    }
    out->sized = true;
    return EXIT_DONE;
}

/** Checks sweeps of several sizes. They advance together, so all sweeps with more than one value
 * must have the same number of values. */
static enum exit_status check_sweeps(const struct blocked_request *request) {
    const int64_t points = blocked_request_points(request);
    for (int s = 0; s < request->size_count && request->sized; s++) {
        const int64_t count = blocked_sweep_count(&request->size[s]);
        if (count == 1 || count == points) continue;
        return options_refuse(
            request->options,
            "size %s has %lld values, another has %lld; each needs one value, or as many as the others",
            blocks_of(request)->size_name[s], (long long)count, (long long)points);
    }
    return EXIT_DONE;
}

/** Reads --n and --m. With two sizes, m is the first (default: n) and n the second; with one size,
 * it is n. */
static enum exit_status read_orders(struct blocked_request *out, bool needs_sizes) {
    const struct blocked_options *given = &out->options->blocked;
    enum exit_status status = EXIT_DONE;
    out->sized = given->n != NULL;
    if (needs_sizes && !given->n)
        return options_refuse(out->options, "expected --n N%s",
                              out->size_count == 2 ? ", and --m M unless the matrix is square"
                                                   : "");
    if (given->m && (out->size_count == 1 || !given->n))
        return options_refuse(out->options, given->n ? "%s has no size m" : "--m needs --n",
                              out->name ? out->name : "it");
    if (given->n) status = set_sweep(out, &out->size[out->size_count - 1], "n", given->n, 0);
    if (status == EXIT_DONE && out->size_count == 2) out->size[0] = out->size[1];
    if (status == EXIT_DONE && given->m) status = set_sweep(out, out->size, "m", given->m, 0);
    return status;
}

static enum exit_status read_sizes(struct blocked_request *out, bool needs_sizes) {
    const struct options *options = out->options;
    const struct blocked_options *given = &options->blocked;
    const bool named = options->sizes || out->size_count > 2;
    out->block = (struct blocked_sweep){
        .first = out->of.default_block, .last = out->of.default_block, .step = 1};
    for (int s = 0; s < out->size_count; s++) out->size[s].step = 1;
    if (named && (given->n || given->m))
        return options_refuse(options,
                              options->sizes ? "--sizes excludes --n and --m"
                                             : "%s has other sizes than m and n: use --sizes",
                              tcplan_blocked_name(out->algorithm[0]));
    if (named && !options->sizes && needs_sizes) return refuse_named(out, "");
    enum exit_status status = !named           ? read_orders(out, needs_sizes)
                              : options->sizes ? read_named(out)
                                               : EXIT_DONE;
    if (status == EXIT_DONE && given->block)
        status = set_sweep(out, &out->block, "block", given->block, 1);
    return status == EXIT_DONE ? check_sweeps(out) : status;
}

struct tcplan_blocked_sizes blocked_request_sizes(const struct blocked_request *request,
                                                  int64_t place, int64_t block_place) {
    struct tcplan_blocked_sizes out = {.block = blocked_sweep_at(&request->block, block_place)};
    for (int s = 0; s < request->size_count; s++) {
        const int64_t count = blocked_sweep_count(&request->size[s]);
        out.size[s] = blocked_sweep_at(&request->size[s], place < count ? place : count - 1);
    }
    return out;
}

/* Algorithms. */

/** Makes an algorithm of an operation, or all of them (-1), after those that exist already. */
static enum exit_status add_known(struct blocked_request *out, int operation, int algorithm,
                                  enum tcplan_dtype dtype) {
    struct tcplan_blocked_operation of;
    tcplan_blocked_operation(&of, operation);
    const int first = algorithm < 0 ? 0 : algorithm,
              end = algorithm < 0 ? of.algorithms : algorithm + 1;
    struct tcplan_blocked **more = base_realloc(
        out->algorithm, (size_t)(out->count + end - first) * sizeof(struct tcplan_blocked *));
    if (!more) return diagnose_no_memory();
    out->algorithm = more;
    for (int a = first; a < end; a++) {
        if (tcplan_blocked_make(&out->algorithm[out->count], operation, a, dtype, &failure) !=
            TCPLAN_OK)
            return diagnose_failure(NULL);
        out->count++;
    }
    return EXIT_DONE;
}

/** Returns whether two operations belong to the same routine, such as potrf_L and potrf_U. */
static bool is_same_routine(int operation, int other) {
    struct tcplan_blocked_operation of[2];
    tcplan_blocked_operation(&of[0], operation);
    tcplan_blocked_operation(&of[1], other);
    const size_t length = strcspn(of[0].name, "_");
    return length == strcspn(of[1].name, "_") && strncmp(of[0].name, of[1].name, length) == 0;
}

/** Finds a built-in algorithm, or all algorithms of an operation. With `whole_routine`, a name
 * without flags, such as potrf, selects the operations of all flags; otherwise the first one. */
static enum exit_status make_known(struct blocked_request *out, bool whole_routine) {
    enum tcplan_dtype dtype = (enum tcplan_dtype)out->options->dtype;
    int operation, algorithm;
    if (tcplan_blocked_find(&operation, &algorithm, &dtype, out->name, &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    if (options_given(out->options, "dtype") && (int)dtype != out->options->dtype)
        return options_refuse(out->options,
                              "'%.80s' has type %s, but --dtype is %s; omit the letter or --dtype",
                              out->name, tcplan_word(tcplan_words_dtypes, (int)dtype),
                              tcplan_word(tcplan_words_dtypes, out->options->dtype));
    tcplan_blocked_operation(&out->of, operation);
    out->size_count = out->of.size_count;
    enum exit_status status = add_known(out, operation, algorithm, dtype);
    if (!whole_routine || strchr(out->name, '_')) return status;
    for (int o = operation + 1; o < tcplan_blocked_operations() && status == EXIT_DONE; o++) {
        if (is_same_routine(operation, o)) status = add_known(out, o, -1, dtype);
    }
    return status;
}

/** Returns whether a name selects an algorithm: the algorithm's name, or the name of its product,
 * as `chain` for `chain_3`. */
static bool is_meant(const struct tcplan_blocked *algorithm, const char *name) {
    const char *own = tcplan_blocked_name(algorithm);
    const size_t length = strlen(name);
    if (strcmp(own, name) == 0) return true;
    return strncmp(own, name, length) == 0 && own[length] == '_' && own[length + 1] &&
           strspn(own + length + 1, "0123456789") == strlen(own + length + 1);
}

/** If the argument names algorithms of the file, removes all others. */
static enum exit_status choose_named(struct blocked_request *out) {
    int kept = 0;
    for (int a = 0; a < out->count; a++) {
        struct tcplan_blocked *algorithm = out->algorithm[a];
        if (!out->name || is_meant(algorithm, out->name)) {
            out->algorithm[kept++] = algorithm;
        } else {
            tcplan_blocked_free(algorithm);
        }
    }
    out->count = kept;
    if (kept > 0) return EXIT_DONE;
    return diagnose_as(EXIT_REFUSED, "%.80s has no algorithm '%.40s'",
                       out->options->blocked.algorithms, out->name);
}

/** Reads a file of algorithms. Algorithms that are ranked together must have the same sizes. */
static enum exit_status read_own(struct blocked_request *out) {
    const enum tcplan_dtype dtype = (enum tcplan_dtype)out->options->dtype;
    if (tcplan_blocked_read(&out->algorithm, &out->count, out->options->blocked.algorithms, dtype,
                            &failure) != TCPLAN_OK)
        return diagnose_failure(NULL);
    out->of = (struct tcplan_blocked_operation){.default_block = USUAL_BLOCK, .lapack = -1};
    const enum exit_status status = choose_named(out);
    if (status != EXIT_DONE) return status;
    out->size_count = tcplan_blocked_blocks(out->algorithm[0])->size_count;
    for (int a = 1; a < out->count; a++) {
        if (tcplan_blocked_blocks(out->algorithm[a])->size_count == out->size_count) continue;
        return diagnose_as(EXIT_REFUSED, "%s and %s do not have the same sizes; name one of them",
                           tcplan_blocked_name(out->algorithm[0]),
                           tcplan_blocked_name(out->algorithm[a]));
    }
    return EXIT_DONE;
}

static enum exit_status read_request(struct blocked_request *out, const struct options *options,
                                     bool needs_sizes, bool whole_routine) {
    *out = (struct blocked_request){
        .options = options, .name = options->argument_count > 1 ? options->arguments[1] : NULL};
    if (!out->name && !options->blocked.algorithms)
        return options_refuse(
            options,
            "expected an operation or an algorithm, such as potrf or potrf_L3; `tcplan blocked list` lists all");
    enum exit_status status =
        options->blocked.algorithms ? read_own(out) : make_known(out, whole_routine);
    return status == EXIT_DONE ? read_sizes(out, needs_sizes) : status;
}

enum exit_status blocked_request_read(struct blocked_request *out, const struct options *options,
                                      bool needs_sizes) {
    return read_request(out, options, needs_sizes, false);
}

enum exit_status blocked_request_read_routine(struct blocked_request *out,
                                              const struct options *options) {
    return read_request(out, options, false, true);
}

void blocked_request_free(struct blocked_request *request) {
    for (int a = 0; a < request->count; a++) tcplan_blocked_free(request->algorithm[a]);
    base_free(request->algorithm);
    *request = (struct blocked_request){.count = 0};
}

enum exit_status blocked_request_single(const struct blocked_request *request, const char *action) {
    if (request->count > 1)
        return diagnose_as(EXIT_REFUSED, "%s has %d algorithms; %s takes one, such as %s",
                           request->name ? request->name : "the file", request->count, action,
                           tcplan_blocked_name(request->algorithm[request->count - 1]));
    if (blocked_request_points(request) == 1 && blocked_sweep_count(&request->block) == 1)
        return EXIT_DONE;
    return options_refuse(request->options, "%s takes one size and one block size", action);
}
