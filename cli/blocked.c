#include "cli/blocked.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { USUAL_BLOCK = 64 };

enum exit_status blocked_usage(void) {
    fputs("see 'tcplan blocked --help'\n", stderr);
    return EXIT_USAGE;
}

/* Sweeps. */

int64_t blocked_sweep_count(const struct blocked_sweep *sweep) {
    return (sweep->last - sweep->first) / sweep->step + 1;
}

int64_t blocked_sweep_at(const struct blocked_sweep *sweep, int64_t place) {
    return sweep->first + place * sweep->step;
}

/** A whole number up to the largest BLAS integer; NULL where there is none. */
static const char *read_number(int64_t *out, const char *at) {
    const char *begin = at;
    *out = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        *out = 10 * *out + (*at - '0');
        if (*out > INT_MAX) return NULL;
    }
    return at > begin ? at : NULL;
}

/* sweep = number [ ":" number [ ":" number ] ] */
static bool read_sweep(struct blocked_sweep *out, const char *text, int64_t least) {
    const char *at = read_number(&out->first, text);
    out->last = out->first;
    out->step = 1;
    if (at && *at == ':') {
        at = read_number(&out->last, at + 1);
        if (at && *at == ':') at = read_number(&out->step, at + 1);
    }
    return at && *at == '\0' && out->first >= least && out->last >= out->first && out->step > 0;
}

static enum exit_status set_sweep(struct blocked_sweep *out, const char *option, const char *text, int64_t least) {
    if (read_sweep(out, text, least)) return EXIT_DONE;
    diagnose("--%s expects a number from %d to %d, or first:last:step, found '%.80s'", option, (int)least, INT_MAX, text);
    return blocked_usage();
}

static enum exit_status read_sizes(struct blocked_request *out, bool wants_sizes) {
    const struct blocked_options *given = &out->options->blocked;
    out->sized = given->n != NULL;
    enum exit_status status = EXIT_DONE;
    if (wants_sizes && !given->n) {
        diagnose("expected --n N%s", out->size_count == 2 ? ", and --m M where the matrix is not square" : "");
        return blocked_usage();
    }
    if (given->m && (out->size_count == 1 || !given->n)) {
        diagnose(given->n ? "%s has no size m" : "--m needs --n", out->name ? out->name : "it");
        return blocked_usage();
    }
    out->block = (struct blocked_sweep){.first = out->of.default_block, .last = out->of.default_block, .step = 1};
    if (given->n) status = set_sweep(&out->size[out->size_count - 1], "n", given->n, 0);
    if (status == EXIT_DONE && out->size_count == 2) out->size[0] = out->size[1];
    if (status == EXIT_DONE && given->m) status = set_sweep(&out->size[0], "m", given->m, 0);
    if (status == EXIT_DONE && given->block) status = set_sweep(&out->block, "block", given->block, 1);
    if (status != EXIT_DONE || out->size_count == 1) return status;
    const int64_t rows = blocked_sweep_count(&out->size[0]), columns = blocked_sweep_count(&out->size[1]);
    if (out->sized && rows != columns && rows != 1) {
        diagnose("--m has %lld values and --n %lld: one, or as many", (long long)rows, (long long)columns);
        return blocked_usage();
    }
    return EXIT_DONE;
}

int64_t blocked_request_points(const struct blocked_request *request) {
    return blocked_sweep_count(&request->size[request->size_count - 1]);
}

struct tcplan_blocked_sizes blocked_request_sizes(const struct blocked_request *request, int64_t place, int64_t block_place) {
    struct tcplan_blocked_sizes out = {.block = blocked_sweep_at(&request->block, block_place)};
    for (int s = 0; s < request->size_count; s++) {
        const int64_t count = blocked_sweep_count(&request->size[s]);
        out.size[s] = blocked_sweep_at(&request->size[s], place < count ? place : count - 1);
    }
    return out;
}

/* Algorithms. */

static enum exit_status make_room(struct blocked_request *out, int count) {
    out->algorithm = base_alloc_zero((size_t)count, sizeof(struct tcplan_blocked *));
    return out->algorithm ? EXIT_DONE : diagnose_no_memory();
}

/** Of tcplan: one, or all of an operation. */
static enum exit_status make_known(struct blocked_request *out) {
    enum tcplan_dtype dtype = (enum tcplan_dtype)out->options->dtype;
    struct tcplan_error error;
    int operation, algorithm;
    if (tcplan_blocked_find(&operation, &algorithm, &dtype, out->name, &error) != TCPLAN_OK) return diagnose_error(&error, NULL);
    tcplan_blocked_operation(&out->of, operation);
    out->size_count = out->of.size_count;
    const int first = algorithm < 0 ? 0 : algorithm, end = algorithm < 0 ? out->of.algorithms : algorithm + 1;
    enum exit_status status = make_room(out, end - first);
    for (int a = first; a < end && status == EXIT_DONE; a++) {
        if (tcplan_blocked_make(&out->algorithm[out->count], operation, a, dtype, &error) != TCPLAN_OK)
            status = diagnose_error(&error, NULL);
        out->count += status == EXIT_DONE;
    }
    return status;
}

/** Leaves of the file's algorithms the one of the name, where there is a name. */
static enum exit_status choose_named(struct blocked_request *out) {
    int kept = 0;
    for (int a = 0; a < out->count; a++) {
        struct tcplan_blocked *algorithm = out->algorithm[a];
        if (!out->name || strcmp(tcplan_blocked_name(algorithm), out->name) == 0) {
            out->algorithm[kept++] = algorithm;
        } else {
            tcplan_blocked_free(algorithm);
        }
    }
    out->count = kept;
    if (kept > 0) return EXIT_DONE;
    diagnose("%.80s has no algorithm '%.40s'", out->options->blocked.algorithms, out->name);
    return EXIT_REFUSED;
}

/** Algorithms of a file that are ranked together have the same sizes. */
static enum exit_status read_own(struct blocked_request *out) {
    struct tcplan_error error;
    const enum tcplan_dtype dtype = (enum tcplan_dtype)out->options->dtype;
    if (tcplan_blocked_read(&out->algorithm, &out->count, out->options->blocked.algorithms, dtype, &error) != TCPLAN_OK)
        return diagnose_error(&error, NULL);
    out->of = (struct tcplan_blocked_operation){.default_block = USUAL_BLOCK, .lapack = -1};
    const enum exit_status status = choose_named(out);
    if (status != EXIT_DONE) return status;
    out->size_count = tcplan_blocked_blocks(out->algorithm[0])->size_count;
    for (int a = 1; a < out->count; a++) {
        if (tcplan_blocked_blocks(out->algorithm[a])->size_count == out->size_count) continue;
        diagnose("%s and %s do not have the same sizes; name one of them", tcplan_blocked_name(out->algorithm[0]),
                 tcplan_blocked_name(out->algorithm[a]));
        return EXIT_REFUSED;
    }
    return EXIT_DONE;
}

enum exit_status blocked_request_read(struct blocked_request *out, const struct options *options, bool wants_sizes) {
    *out = (struct blocked_request){.options = options, .name = options->argument_count > 1 ? options->arguments[1] : NULL};
    if (options->argument_count > 2) {
        diagnose("unexpected argument '%.80s' behind '%.80s'", options->arguments[2], out->name);
        return blocked_usage();
    }
    if (!out->name && !options->blocked.algorithms) {
        diagnose("expected an operation or an algorithm, as potrf or potrf_L3; `tcplan blocked list` says which there are");
        return blocked_usage();
    }
    enum exit_status status = options->blocked.algorithms ? read_own(out) : make_known(out);
    return status == EXIT_DONE ? read_sizes(out, wants_sizes) : status;
}

void blocked_request_free(struct blocked_request *request) {
    for (int a = 0; a < request->count; a++) tcplan_blocked_free(request->algorithm[a]);
    base_free(request->algorithm);
    *request = (struct blocked_request){.count = 0};
}
