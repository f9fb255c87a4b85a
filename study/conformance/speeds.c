/*
 * Every library has a process of its own (study/worker.h), which keeps a product planned while all
 * libraries are sampled alternately. If a process ends or exceeds its limit, its library has no
 * time for that contraction. The next contraction has new processes.
 */
#include "tcplan/study/speeds.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/deadline.h"
#include "base/error.h"
#include "microbench/timing/statistics.h"
#include "study/conformance/timed.h"
#include "study/worker.h"
#include "tcplan/library.h"
#include "tcplan/problem.h"

enum { ROUNDS = 5 };
static const double usual_case_seconds = 10;
static const double contraction_seconds =
    3; /* seconds after which no further round of a contraction begins */
static const int64_t usual_memory_bytes = INT64_C(2) << 30;

/** The result and the memory of its texts. */
struct speeds {
    struct tcplan_speeds public;
    struct arena texts;
};

/** One library. */
struct contender {
    const char *path;
    struct worker worker;
    struct timed timed; /* state of the product in the library's process */
    double sample[ROUNDS];
    int sample_count;
};

struct timing {
    const struct tcplan_speeds_options *options;
    struct contender contender[TCPLAN_SPEED_LIBRARIES];
    int count;
    struct speeds *out;
};

/* Processes. */

/** Answers a request of the comparison (a worker_answer_fn). */
static struct worker_message answer(void *context, const struct worker_message *message) {
    struct contender *contender = context;
    struct timed_reply *reply = base_alloc_zero(1, sizeof *reply);
    if (!reply) return (struct worker_message){0};
    *reply = timed_answer(&contender->timed, contender->path, message->data);
    return (struct worker_message){.data = reply, .bytes = sizeof *reply};
}

/** Sends a request to the process of a library. If there is no answer, `why` in the reply
 * contains the reason. */
static struct timed_reply ask(struct contender *contender, const struct timed_request *request) {
    struct timed_request copy = *request;
    const struct worker_message message = {.data = &copy, .bytes = sizeof copy};
    struct worker_message received;
    struct timed_reply reply = {0};
    struct tcplan_error error = {0};
    const enum worker_end end = worker_ask(&contender->worker, &message, &received, &error);
    if (end == WORKER_ANSWERED && received.bytes == sizeof reply) {
        memcpy(&reply, received.data, sizeof reply);
        free(received.data);
    } else {
        snprintf(reply.why, sizeof reply.why, "%s",
                 end == WORKER_ANSWERED ? "out of memory" : error.message);
    }
    return reply;
}

/* One contraction. */

static void set_tensor(struct product_tensor *out, const struct tcplan_problem *problem,
                       enum tcplan_operand from) {
    static const TAPP_datatype types[] = {[TCPLAN_FLOAT] = TAPP_F32,
                                          [TCPLAN_DOUBLE] = TAPP_F64,
                                          [TCPLAN_FLOAT_COMPLEX] = TAPP_C32,
                                          [TCPLAN_DOUBLE_COMPLEX] = TAPP_C64};
    const struct tcplan_tensor *tensor = &problem->contraction->tensor[from];
    uint64_t seen = 0;
    *out = (struct product_tensor){.type = types[problem->dtype],
                                   .op = tensor->conjugated ? TAPP_CONJUGATE : TAPP_IDENTITY};
    for (int d = 0; d < tensor->rank; d++) {
        const int index = tensor->dims[d];
        if (seen >> index & 1)
            continue; /* the index occurs twice: its stride is the sum of both dimensions' strides
                       */
        seen |= UINT64_C(1) << index;
        out->index[out->rank] = 'a' + index;
        out->extent[out->rank] = problem->extent[index];
        out->stride[out->rank++] = problem->stride_elems[from][index];
    }
}

/** Makes a product from a problem; returns the reason if that is impossible, otherwise NULL. */
static const char *make_product(struct product *out, const struct tcplan_problem *problem,
                                const struct tcplan_speeds_options *options) {
    const int64_t most =
        options->max_memory_bytes > 0 ? options->max_memory_bytes : usual_memory_bytes;
    double bytes = 0;
    *out = (struct product){.alpha = problem->alpha.re + problem->alpha.im * I,
                            .beta = problem->beta.re + problem->beta.im * I,
                            .prec = TAPP_DEFAULT_PREC};
    for (int t = 0; t < TCPLAN_OPERANDS; t++) {
        if (problem->contraction->tensor[t].rank > PRODUCT_RANK)
            return "a tensor has more than 12 dimensions";
        bytes += (double)problem->elems[t] * (double)problem->element_bytes;
    }
    if (tcplan_contraction_has_addend(problem->contraction))
        return "the added tensor is not the result";
    if (bytes > (double)most) return "the tensors are too large (--max-memory)";
    set_tensor(&out->tensor[PRODUCT_A], problem, TCPLAN_A);
    set_tensor(&out->tensor[PRODUCT_B], problem, TCPLAN_B);
    set_tensor(&out->tensor[PRODUCT_D], problem, TCPLAN_C);
    out->tensor[PRODUCT_C] = out->tensor[PRODUCT_D];
    out->tensor[PRODUCT_D].op = TAPP_IDENTITY;
    out->is_in_place = out->beta != 0;
    out->lacks_C = !out->is_in_place;
    return NULL;
}

/** Copies a text into the memory of the result; returns NULL if it is empty or memory runs out. */
static const char *keep(struct timing *timing, const char *text) {
    return *text ? arena_strndup(&timing->out->texts, text, strlen(text)) : NULL;
}

/** Makes each library plan the product and checks its result. */
static void prepare(struct timing *timing, struct tcplan_speed *speed,
                    const struct product *product) {
    struct timed_request request;
    memset(&request, 0, sizeof request);
    request.step = TIMED_PREPARE;
    request.product = *product;
    for (int c = 0; c < timing->count; c++) {
        timing->contender[c].sample_count = 0;
        const struct timed_reply reply = ask(&timing->contender[c], &request);
        speed->time[c].planning = reply.seconds;
        speed->time[c].why = keep(timing, reply.why);
    }
}

/** Samples all libraries alternately, forwards and backwards. */
static void sample(struct timing *timing, struct tcplan_speed *speed) {
    struct timed_request request;
    const double begin = monotonic_seconds();
    memset(&request, 0, sizeof request);
    request.step = TIMED_SAMPLE;
    for (int round = 0; round < ROUNDS; round++) {
        if (round > 0 && monotonic_seconds() - begin > contraction_seconds) break;
        for (int i = 0; i < timing->count; i++) {
            const int c = round % 2 ? timing->count - 1 - i : i;
            struct contender *contender = &timing->contender[c];
            if (speed->time[c].why) continue;
            const struct timed_reply reply = ask(contender, &request);
            speed->time[c].why = keep(timing, reply.why);
            contender->sample[contender->sample_count++] = reply.seconds;
        }
    }
    for (int c = 0; c < timing->count; c++) {
        struct contender *contender = &timing->contender[c];
        if (!speed->time[c].why)
            speed->time[c].seconds = statistics_median(contender->sample, contender->sample_count);
    }
}

static void time_product(struct timing *timing, struct tcplan_speed *speed,
                         const struct product *product) {
    prepare(timing, speed, product);
    sample(timing, speed);
    for (int c = 0; c < timing->count; c++) worker_stop(&timing->contender[c].worker);
}

/* All contractions. */

static struct tcplan_speed *add_speed(struct timing *timing) {
    struct tcplan_speeds *all = &timing->out->public;
    struct tcplan_speed *speed = base_grow(all->speed, all->count, sizeof *speed);
    if (!speed) return NULL;
    all->speed = speed;
    return &all->speed[all->count++];
}

static bool is_wanted(const struct tcplan_library_entry *entry,
                      const struct tcplan_speeds_options *options) {
    if (options->only && fnmatch(options->only, entry->name, 0) != 0) return false;
    if (!options->size_class) return !entry->optional;
    return strcmp(options->size_class, "all") == 0 ||
           strcmp(options->size_class, entry->size_class) == 0;
}

static enum tcplan_status time_entry(struct timing *timing,
                                     const struct tcplan_library_entry *entry,
                                     struct tcplan_error *error) {
    const struct tcplan_speeds_options *options = timing->options;
    struct tcplan_problem problem;
    struct product product;
    struct tcplan_speed *speed = add_speed(timing);
    if (!speed) return error_no_memory(error);
    *speed = (struct tcplan_speed){.name = keep(timing, entry->name),
                                   .formula = keep(timing, entry->formula),
                                   .sizes = keep(timing, entry->sizes)};
    const char *why = entry->fault       ? entry->fault->message
                      : *entry->sections ? "its tensors are block-sparse"
                                         : NULL;
    if (!why && tcplan_problem_init(&problem, entry->contraction, entry->extent, entry->dtype,
                                    error) != TCPLAN_OK)
        why = error ? error->message : "invalid";
    if (!why) {
        speed->flops = problem.flops;
        speed->limit_seconds =
            tcplan_roofline_limit_seconds(options->roofline, &problem, options->threads);
        why = make_product(&product, &problem, options);
    }
    for (int c = 0; c < timing->count && why; c++) speed->time[c].why = keep(timing, why);
    if (!why) time_product(timing, speed, &product);
    return TCPLAN_OK;
}

static enum tcplan_status time_all(struct timing *timing, const char *contractions,
                                   struct tcplan_error *error) {
    const struct tcplan_speeds_options *options = timing->options;
    const struct tcplan_library_options defaults = {.dtype = TCPLAN_DOUBLE, .threads = 1};
    struct tcplan_library *library;
    const struct tcplan_library_entry *entry;
    enum tcplan_status status = tcplan_library_open(&library, contractions, &defaults, error);
    if (status != TCPLAN_OK) return status;
    for (;;) {
        status = tcplan_library_next(library, &entry, error);
        if (status != TCPLAN_OK || !entry) break;
        if (!is_wanted(entry, options)) continue;
        if (options->progress)
            options->progress(options->progress_context, entry->name,
                              (double)timing->out->public.count, 0);
        status = time_entry(timing, entry, error);
        if (status != TCPLAN_OK) break;
    }
    tcplan_library_close(library);
    return status;
}

/** Returns the lowest descriptor that is free. */
static int free_descriptor(void) {
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) close(descriptor);
    return descriptor > 0 ? descriptor : 0;
}

enum tcplan_status tcplan_speeds_run(struct tcplan_speeds **out, const char *const paths[],
                                     int count, const char *contractions,
                                     const struct tcplan_speeds_options *options,
                                     struct tcplan_error *error) {
    struct timing *timing = base_alloc_zero(1, sizeof *timing);
    struct speeds *result = base_alloc_zero(1, sizeof *result);
    enum tcplan_status status = timing && result ? TCPLAN_OK : error_no_memory(error);
    const int first_descriptor = free_descriptor();
    if (status == TCPLAN_OK) {
        *timing = (struct timing){.options = options, .count = count, .out = result};
        result->public.library_count = count;
        for (int c = 0; c < count; c++) {
            struct contender *contender = &timing->contender[c];
            *contender = (struct contender){.path = paths[c], .timed.threads = options->threads};
            contender->worker = (struct worker){.answer = answer,
                                                .context = contender,
                                                .first_descriptor = first_descriptor,
                                                .patience_seconds = options->case_seconds > 0
                                                                        ? options->case_seconds
                                                                        : usual_case_seconds};
        }
        status = time_all(timing, contractions, error);
    }
    base_free(timing);
    if (status == TCPLAN_OK)
        *out = &result->public;
    else if (result)
        tcplan_speeds_free(&result->public);
    return status;
}

void tcplan_speeds_free(struct tcplan_speeds *speeds) {
    struct speeds *own = (struct speeds *)speeds; /* valid, because `public` is the first member */
    if (!own) return;
    arena_free(&own->texts);
    base_free(own->public.speed);
    base_free(own);
}
