#include "study/batch_worker.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/deadline.h"
#include "base/error.h"
#include "study/blocks.h"
#include "tcplan/blas.h"
#include "tcplan/strides.h"

/* The batch and the worker run the same program, so messages are structures as they are in memory.
 * They contain no pointers. */

struct question {
    enum tcplan_dtype dtype;
    enum tcplan_order order;
    int threads;
    double gemm_gflops; /* speed of gemm in GFLOP/s; 0: not known */
    int64_t extent[TCPLAN_MAX_INDICES];
    char text[]; /* the texts of the question, one after the other, each ended by a NUL */
};

/** The texts of a question: the contraction in canonical text, then those of the library entry. */
enum { TEXT_FORMULA, TEXT_STRIDES, TEXT_SECTIONS, TEXT_CHARGE, TEXT_BLOCKS, QUESTION_TEXTS };

/** The head of an answer. */
struct answer_head {
    struct tcplan_error error; /* error whose status is TCPLAN_OK if a finding follows */
    struct finding_plan plan;
    char wrong[TCPLAN_PROVIDER_FILES][TCPLAN_MESSAGE_SIZE]; /* messages of tcplan_provider_wrong();
                                                               empty: no wrong results */
};

/** Ranks with the usual limit of memory. If that is too small, ranks again with a quarter of the
 * machine's memory, unless the options set a limit, ask for measurements or describe another
 * machine. */
static enum tcplan_status rank(struct finding **out, struct finding_plan *plan,
                               const struct tcplan_batch *batch,
                               const struct tcplan_problem *problem,
                               struct tcplan_rank_options *options, struct tcplan_error *error) {
    enum tcplan_status status = finding_make(out, problem, options, batch->options.measured,
                                             batch->options.plans, plan, error);
    const int64_t quarter = batch->machine.memory_bytes / 4;
    if (status != TCPLAN_NO_MEMORY || options->max_memory_bytes > 0 ||
        batch->options.measured > 0 || !batch->machine.live)
        return status;
    options->max_memory_bytes = quarter;
    return finding_make(out, problem, options, 0, batch->options.plans, plan, error);
}

enum { KERNEL_TIMES_MAX = 100000 };

/** Returns the kernel times of all contractions so far. Drops them if there are too many, because a
 * batch may be endless. NULL if memory runs out. */
static struct tcplan_kernel_times *kernel_times(void) {
    static struct tcplan_kernel_times *times;
    if (times && tcplan_kernel_times_count(times) <= KERNEL_TIMES_MAX) return times;
    tcplan_kernel_times_free(times);
    return times = tcplan_kernel_times_new();
}

/** Returns the evaluations of earlier processes and this one; NULL without a store, or if memory
 * runs out. Unusable data is treated as missing. */
static struct tcplan_experience *experience(const struct tcplan_batch *batch) {
    static struct tcplan_experience *experience;
    if (!experience && batch->options.store)
        tcplan_store_experience(&experience, batch->options.store, NULL);
    return experience;
}

/** Returns the performance models of this machine, which are read once; NULL without a store, or if
 * memory runs out. */
static const struct tcplan_models *models(const struct tcplan_batch *batch) {
    static struct tcplan_models *models;
    if (!models && batch->options.store) tcplan_store_models(&models, batch->options.store, NULL);
    return models;
}

static enum tcplan_status rank_dense(struct finding **out, struct finding_plan *plan,
                                     const struct tcplan_batch *batch,
                                     const struct question *question,
                                     const struct tcplan_contraction *contraction,
                                     struct tcplan_rank_options *options,
                                     struct tcplan_error *error) {
    struct tcplan_problem problem;
    const enum tcplan_status status =
        tcplan_problem_init(&problem, contraction, question->extent, question->dtype, error);
    return status == TCPLAN_OK ? rank(out, plan, batch, &problem, options, error) : status;
}

static enum tcplan_status plan_blocks(struct finding **out, struct finding_plan *plan,
                                      const struct tcplan_batch *batch,
                                      const struct question *question, const char *const text[],
                                      const struct tcplan_contraction *contraction,
                                      const struct tcplan_rank_options *options,
                                      struct tcplan_error *error) {
    struct tcplan_library_entry entry = {.contraction = contraction,
                                         .dtype = question->dtype,
                                         .sections = text[TEXT_SECTIONS],
                                         .charge = text[TEXT_CHARGE],
                                         .blocks = text[TEXT_BLOCKS]};
    struct tcplan_block_product *product = NULL;
    memcpy(entry.extent, question->extent, sizeof entry.extent);
    enum tcplan_status status = blocks_product(&product, &entry, NULL, error);
    if (status == TCPLAN_OK)
        status = blocks_finding(out, product, question->dtype, options, batch->options.measured,
                                batch->options.plans, plan, error);
    tcplan_block_product_free(product);
    return status;
}

static enum tcplan_status find_out(struct finding **out, struct finding_plan *plan,
                                   struct tcplan_batch *batch, const struct question *question,
                                   struct tcplan_error *error) {
    struct tcplan_rank_options options = batch->options.rank;
    struct tcplan_contraction *contraction = NULL;
    const char *text[QUESTION_TEXTS];
    text[0] = question->text;
    for (int t = 1; t < QUESTION_TEXTS; t++) text[t] = text[t - 1] + strlen(text[t - 1]) + 1;
    options.threads = question->threads;
    options.gemm_gflops = question->gemm_gflops;
    options.progress =
        batch->worker.progress || batch->worker.patience_seconds > 0 ? worker_progress : NULL;
    options.progress_context = &batch->worker;
    options.kernel_times = kernel_times();
    options.experience = experience(batch);
    options.models = models(batch);
    options.code = batch->options.store;
    enum tcplan_status status =
        tcplan_contraction_parse(&contraction, text[TEXT_FORMULA], question->order, error);
    if (status == TCPLAN_OK) tcplan_contraction_fit_type(contraction, question->dtype);
    if (status == TCPLAN_OK) status = tcplan_strides_parse(contraction, text[TEXT_STRIDES], error);
    if (status == TCPLAN_OK)
        status = *text[TEXT_SECTIONS]
                     ? plan_blocks(out, plan, batch, question, text, contraction, &options, error)
                     : rank_dense(out, plan, batch, question, contraction, &options, error);
    if (status == TCPLAN_OK && options.experience)
        tcplan_store_keep_experience(batch->options.store, options.experience, NULL);
    tcplan_contraction_free(contraction);
    return status;
}

static size_t finding_bytes(const struct finding *finding) {
    return finding ? sizeof *finding + finding->count * sizeof *finding->algorithm : 0;
}

/** Answers a request with a head, followed by the finding if there is one (a worker_answer_fn). */
static struct worker_message answer(void *context, const struct worker_message *request) {
    struct answer_head head = {0};
    struct finding *finding = NULL;
    head.error.status = find_out(&finding, &head.plan, context, request->data, &head.error);
    for (int f = 0; f < TCPLAN_PROVIDER_FILES; f++)
        tcplan_provider_wrong(head.wrong[f], (enum tcplan_provider)(TCPLAN_PROVIDER_FILE_1 + f));
    const size_t bytes = finding_bytes(finding);
    struct worker_message message = {.data = base_alloc(sizeof head + bytes)};
    if (message.data) {
        message.bytes = sizeof head + bytes;
        memcpy(message.data, &head, sizeof head);
        if (finding) memcpy((char *)message.data + sizeof head, finding, bytes);
    }
    free(finding);
    return message;
}

/* Functions that the process of the batch calls. */

enum { PATIENCE_SECONDS = 60, PATIENCE_LIMITS = 10 };

enum tcplan_status batch_worker_start(struct tcplan_batch *batch, struct tcplan_error *error) {
    const double limit = batch->options.rank.time_limit_seconds;
    batch->worker = (struct worker){.answer = answer,
                                    .context = batch,
                                    .progress = batch->options.listener.progress,
                                    .progress_context = batch->options.listener.context,
                                    .patience_seconds =
                                        limit > 0 ? PATIENCE_SECONDS + PATIENCE_LIMITS * limit : 0};
    return worker_start(&batch->worker, error) == WORKER_ANSWERED ? TCPLAN_OK : error->status;
}

/** Counts a plan as stored, or as not stored; reports the first one that could not be stored. */
static void note_plan(struct tcplan_batch *batch, const struct finding_plan *plan) {
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    batch->counts.plans += plan->stored;
    if (!*plan->unstored) return;
    if (batch->counts.plans_lost++ == 0 && listener->plan_lost)
        listener->plan_lost(listener->context, plan->unstored);
}

/** Reports libraries that were newly found to compute wrong results. */
static void note_wrong(struct tcplan_batch *batch, const struct answer_head *head) {
    const struct tcplan_batch_listener *listener = &batch->options.listener;
    for (int f = 0; f < TCPLAN_PROVIDER_FILES; f++) {
        if (!*head->wrong[f] || strcmp(head->wrong[f], batch->wrong[f]) == 0) continue;
        memcpy(batch->wrong[f], head->wrong[f], sizeof batch->wrong[f]);
        if (listener->wrong) listener->wrong(listener->context, batch->wrong[f]);
    }
}

/** Moves the finding to the front of an answer, whose memory it takes over; returns NULL, with an
 * error set, if there is none. */
static struct finding *read_answer(struct tcplan_batch *batch, const struct worker_message *message,
                                   struct tcplan_error *error) {
    struct answer_head head;
    if (message->bytes < sizeof head) {
        error_no_memory(error);
    } else {
        memcpy(&head, message->data, sizeof head);
        *error = head.error;
        note_wrong(batch, &head);
        if (error->status == TCPLAN_OK) {
            note_plan(batch, &head.plan);
            return memmove(message->data, (char *)message->data + sizeof head,
                           message->bytes - sizeof head);
        }
    }
    free(message->data);
    return NULL;
}

static struct question *ask_about(const struct tcplan_library_entry *entry, double gemm_gflops,
                                  size_t *bytes) {
    const char *const text[QUESTION_TEXTS] = {[TEXT_FORMULA] = entry->formula,
                                              [TEXT_STRIDES] = entry->strides,
                                              [TEXT_SECTIONS] = entry->sections,
                                              [TEXT_CHARGE] = entry->charge,
                                              [TEXT_BLOCKS] = entry->blocks};
    *bytes = sizeof(struct question);
    for (int t = 0; t < QUESTION_TEXTS; t++) *bytes += strlen(text[t]) + 1;
    struct question *question = base_alloc_zero(1, *bytes);
    if (!question) return NULL;
    *question = (struct question){.dtype = entry->dtype,
                                  .order = entry->order,
                                  .threads = entry->threads,
                                  .gemm_gflops = gemm_gflops};
    memcpy(question->extent, entry->extent, sizeof question->extent);
    char *end = question->text;
    for (int t = 0; t < QUESTION_TEXTS; t++) end = stpcpy(end, text[t]) + 1;
    return question;
}

enum tcplan_status batch_worker_find(struct finding **out, struct tcplan_batch *batch,
                                     const struct tcplan_library_entry *entry, double gemm_gflops,
                                     struct tcplan_error *reason, struct tcplan_error *error) {
    struct worker_message request, reply;
    request.data = ask_about(entry, gemm_gflops, &request.bytes);
    *out = NULL;
    if (!request.data) return error_no_memory(error);
    const enum worker_end end = worker_ask(&batch->worker, &request, &reply, reason);
    free(request.data);
    if (end == WORKER_UNAVAILABLE) return error_set(error, reason->status, "%s", reason->message);
    if (end == WORKER_ANSWERED) *out = read_answer(batch, &reply, reason);
    return TCPLAN_OK;
}
